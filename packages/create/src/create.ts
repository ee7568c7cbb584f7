import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { CreateError, writeFolder } from './write-folder.js';

export const USAGE = `Usage: npm create @pay-checkout [folder] [-- options]

Writes a shop, a session server and the provider's sandbox into a new folder (default: my-shop), with
secrets of their own, and installs what they need. In the folder, \`npm start\` runs them; no money moves.

  --typescript             the shop in TypeScript
  --no-install             write the files only
  --shop-port <number>     default of each: the first free one from 3000,
  --port <number>          4200 (the session server),
  --sandbox-port <number>  4300
  --dashboard-port <number>  and 4600
`;

const PORTS = { 'shop-port': 3000, port: 4200, 'sandbox-port': 4300, 'dashboard-port': 4600 };

/**
 * Writes the folder, and installs its packages with the package manager that started this program.
 *
 * @param words folder and options, as in `USAGE`
 * @returns the lines to print: what to do next
 * @throws {CreateError} when the words are wrong, the folder holds anything, or the installation failed
 */
export async function create(words: readonly string[]): Promise<string[]> {
  const { folder, isTypeScript, isInstalled, ports } = parseWords(words);
  const given = Object.values(ports);
  const shop = ports['shop-port'] ?? (await findFreePort(PORTS['shop-port'], given));
  const server = ports.port ?? (await findFreePort(PORTS.port, given));
  const sandbox = ports['sandbox-port'] ?? (await findFreePort(PORTS['sandbox-port'], given));
  const dashboard = ports['dashboard-port'] ?? (await findFreePort(PORTS['dashboard-port'], given));
  writeFolder(folder, { isTypeScript, ports: { shop, server, sandbox, dashboard } });
  if (isInstalled) await install(folder);
  return nextSteps({ folder, isInstalled, shop });
}

function parseWords(words: readonly string[]) {
  const { values, positionals } = parse(words);
  const [folder = 'my-shop', ...more] = positionals;
  if (folder === '' || more.length > 0) throw new CreateError(`expected one folder\n\n${USAGE}`);
  const portOf = (name: keyof typeof PORTS): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port >= 1 && port <= 65_535) return port;
    throw new CreateError(`--${name}: expected a number from 1 to 65535, not ${text}`);
  };
  const ports = {
    'shop-port': portOf('shop-port'),
    port: portOf('port'),
    'sandbox-port': portOf('sandbox-port'),
    'dashboard-port': portOf('dashboard-port'),
  };
  const given = Object.values(ports).filter((port) => port !== undefined);
  if (new Set(given).size < given.length)
    throw new CreateError('expected a port of its own for each');
  return { folder, isTypeScript: values.typescript, isInstalled: !values['no-install'], ports };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        typescript: { type: 'boolean', default: false },
        'no-install': { type: 'boolean', default: false },
        'shop-port': { type: 'string' },
        port: { type: 'string' },
        'sandbox-port': { type: 'string' },
        'dashboard-port': { type: 'string' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new CreateError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** The first port from this one on at which nothing listens, and that is not given to another part. */
async function findFreePort(from: number, given: readonly (number | undefined)[]): Promise<number> {
  for (let port = from; port < from + 100; port += 1) {
    if (given.includes(port)) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', () => {
        resolve(true);
      });
    });
    server.close();
    if (isFree) return port;
  }
  throw new CreateError(`no port from ${String(from)} on is free; name one`);
}

/** With the package manager's own output as progress. */
async function install(folder: string): Promise<void> {
  const agent = process.env['npm_config_user_agent'] ?? '';
  const manager = /^(pnpm|yarn|bun)(?=\/)/.exec(agent)?.[0] ?? 'npm';
  const isWindows = process.platform === 'win32';
  const child = spawn(manager, ['install'], { cwd: folder, stdio: 'inherit', shell: isWindows });
  // Rejects when there is no such program.
  const code = await once(child, 'exit').then(
    ([code]: unknown[]) => code,
    () => undefined,
  );
  if (code !== 0) {
    throw new CreateError(
      `${folder} is written, but \`${manager} install\` failed: run it there again`,
    );
  }
}

function nextSteps(created: { folder: string; isInstalled: boolean; shop: number }): string[] {
  const { folder, isInstalled, shop } = created;
  return [
    `A shop is in ${folder}, with a session server and the provider's sandbox: no money moves.`,
    '',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    ...(isInstalled ? [] : ['  npm install']),
    '  npm start',
    '',
    `Then open http://127.0.0.1:${String(shop)}, and pay with the card 9000 0000 0000 0001, any future date, any code.`,
    'The secrets of the folder are new, and readable by you only.',
  ];
}
