/** `npm run check:image`: what the image holds, installed as for the image, runs as there. Needs the npm registry. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './committed-files.mjs';
import { fillImageFolder, writeSbom } from './image.mjs';
import { readDockerfile } from './read-dockerfile.js';

describe('the image', () => {
  const { ENV: env, USER: user, HEALTHCHECK: healthcheck, CMD: command } = readDockerfile();
  /** As root the user of the Dockerfile runs it; otherwise the tree is made read-only for this one. */
  const [uid, gid] = process.getuid?.() === 0 ? user.split(':').map(Number) : [];
  let folder: string;
  let app: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-'));
    const program = join(ROOT, 'packages/create/dist/main.js');
    execFileSync(process.execPath, [program, join(folder, 'pay'), '--no-install']);
    chmodSync(folder, 0o755);
    app = join(folder, 'app');
    await fillImageFolder(app);
    execFileSync('chmod', ['-R', 'a-w', app]);
    // The program `node`, where every user may run it.
    cpSync(process.execPath, join(folder, 'node'));
  }, 180_000);
  afterAll(() => {
    execFileSync('chmod', ['-R', 'u+w', app]);
    rmSync(folder, { recursive: true });
  });

  it('runs its content as a user that is not root and can write nowhere, until it is stopped', async () => {
    const port = await findFreePort();
    const merchants = readFileSync(join(folder, 'pay/merchants.json'), 'utf8');
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o440 });
      if (gid !== undefined) chownSync(join(folder, name), 0, gid);
      return join(folder, name);
    };
    const data = join(folder, 'data');
    mkdirSync(data);
    if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
    const options = {
      ...{ cwd: app, uid, gid, stdio: 'pipe' as const },
      env: {
        ...{ ...env, PAY_WIDGET_SCRIPT: env['PAY_WIDGET_SCRIPT']?.replace('/app', app) },
        ...{ PATH: folder, PAY_ENVIRONMENT: 'sandbox', PAY_PORT: String(port) },
        PAY_PUBLIC_URL: `http://127.0.0.1:${String(port)}`,
        PAY_PARTNER_API_URL: 'http://127.0.0.1:9',
        PAY_PARTNER_API_KEY_FILE: file('partner-api-key', 'invented-key'),
        PAY_MERCHANTS_FILE: file('merchants.json', merchants),
        PAY_DATABASE_FILE: join(data, 'pay.sqlite'),
        // It does not start without the operator's package.
        PAY_OPERATOR_PORT: '0',
      },
    };
    const [program = '', ...words] = command;
    const [checker = '', ...checks] = healthcheck;
    const check = () => spawnSync(checker, checks, options).status;
    expect(check()).toBe(1);
    const server = spawn(program, words, options);
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    server.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    try {
      await expect.poll(() => said).toContain('server listens');
      expect(check()).toBe(0);
      const script = await fetch(`http://127.0.0.1:${String(port)}/v1/pay-checkout.js`);
      expect(script.status).toBe(200);
      const touched = spawnSync('/usr/bin/touch', [join(app, 'written')], options);
      expect(touched.status).toBe(uid === undefined ? touched.status : 1);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('holds what production needs, and nothing for development', () => {
    const names = readdirSync(join(app, 'node_modules'));
    expect(names).toEqual(expect.arrayContaining(['express', 'pg', 'zod']));
    expect(names.filter((name) => /^(vitest|typescript|vite|eslint)$/.test(name))).toEqual([]);
  });

  it('has an SBOM of each package in it, without the registry that it came from', () => {
    const sbom = join(folder, 'sbom.json');
    writeSbom(app, sbom);
    const text = readFileSync(sbom, 'utf8');
    const bom = JSON.parse(text) as { bomFormat: string; components: { 'bom-ref': string }[] };
    expect(bom.bomFormat).toBe('CycloneDX');
    const { packages } = JSON.parse(
      readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'),
    ) as {
      packages: Record<string, { version: string }>;
    };
    const installed = Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
    expect(installed.length).toBeGreaterThan(50);
    expect(new Set(bom.components.map((component) => component['bom-ref']))).toEqual(
      new Set(installed),
    );
    expect(text).not.toContain('"distribution"');
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
