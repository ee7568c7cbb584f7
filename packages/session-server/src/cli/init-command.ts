import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, ConfigError } from '../errors.js';
import { VERSION } from '../version.js';

const TEMPLATES = new URL('../../assets/init/', import.meta.url);
/** What is written, from which template; the owner alone may read what holds secrets. */
const FILES = [
  { name: '.env', template: 'env', hasSecrets: true },
  { name: 'merchants.json', template: 'merchants.json', hasSecrets: true },
  { name: 'shop.env', template: 'shop.env', hasSecrets: true },
  { name: 'shop.mjs', template: 'shop.mjs', hasSecrets: false },
  { name: 'start.mjs', template: 'start.mjs', hasSecrets: false },
  { name: 'package.json', template: 'packages.json', hasSecrets: false },
  { name: 'compose.yaml', template: 'compose.yaml', hasSecrets: false },
  { name: '.gitignore', template: 'gitignore', hasSecrets: false },
];

/**
 * `pay-session-server init <folder>`: writes a folder in which sandbox, session server and a shop's back
 * end run, with secrets of their own.
 *
 * @returns the lines to print: what to do next
 * @throws {ConfigError} when the folder holds anything
 */
export function runInit(words: readonly string[]): string[] {
  const { folder, ...ports } = parseWords(words);
  makeEmpty(folder);
  const shop = `http://127.0.0.1:${ports.shopPort}`;
  const providerKey = randomBytes(32).toString('base64url');
  const merchantKey = randomBytes(32).toString('base64url');
  const values: Readonly<Record<string, string>> = {
    ...ports,
    shop,
    server: `http://127.0.0.1:${ports.port}`,
    sandbox: `http://127.0.0.1:${ports.sandboxPort}`,
    // As they are installed in the folder.
    sandboxProgram: 'node_modules/@pay-checkout/sandbox/dist/main.js',
    serverProgram: 'node_modules/@pay-checkout/session-server/dist/bin.js',
    user: `${String(process.getuid?.() ?? 1000)}:${String(process.getgid?.() ?? 1000)}`,
    version: VERSION,
    providerKey,
    merchantKey,
    merchantKeyHash: createHash('sha256').update(merchantKey).digest('hex'),
    signingSecret: `whsec_${randomBytes(32).toString('base64')}`,
  };
  const write = (name: string, text: string, hasSecrets: boolean): void => {
    writeFileSync(join(folder, name), text, { mode: hasSecrets ? 0o600 : 0o644, flag: 'wx' });
  };
  for (const name of ['secrets', 'data']) mkdirSync(join(folder, name), { mode: 0o700 });
  write('secrets/provider-api-key', `${providerKey}\n`, true);
  write('secrets/encryption-key', `first:${randomBytes(32).toString('base64')}\n`, true);
  for (const { name, template, hasSecrets } of FILES) {
    const text = readFileSync(new URL(template, TEMPLATES), 'utf8');
    write(
      name,
      text.replace(/\{\{(\w+)\}\}/g, (place, value: string) => values[value] ?? place),
      hasSecrets,
    );
  }
  return nextSteps(folder, shop);
}

function parseWords(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: {
        port: { type: 'string', default: '4200' },
        'sandbox-port': { type: 'string', default: '4300' },
        'shop-port': { type: 'string', default: '3000' },
      },
      allowPositionals: true,
    });
    const [folder, ...more] = positionals;
    const { port, 'sandbox-port': sandboxPort, 'shop-port': shopPort } = values;
    const arePorts = [port, sandboxPort, shopPort].every((text) => /^\d{1,5}$/.test(text));
    if (folder !== undefined && folder !== '' && more.length === 0 && arePorts) {
      return { folder, port, sandboxPort, shopPort };
    }
  } catch {
    // An option that there is not.
  }
  throw new AppError(
    400,
    'invalid_request',
    'expected: init <folder> [--port <number>] [--sandbox-port <number>] [--shop-port <number>]',
  );
}

function makeEmpty(folder: string): void {
  let names: string[];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    names = readdirSync(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`init ${folder}`, [`the folder cannot be made (${code})`]);
  }
  if (names.length === 0) return;
  throw new ConfigError(`init ${folder}`, ['the folder is not empty; nothing was written']);
}

function nextSteps(folder: string, shop: string): string[] {
  return [
    `A sandbox is in ${folder}. Its secrets are readable by you only.`,
    '  merchants.json   the merchants: one, my-shop',
    '  .env, secrets/   settings and secrets of session server and sandbox',
    '  shop.mjs         a shop; shop.env is what it is given',
    '  compose.yaml     sandbox and session server in containers',
    '',
    'To pay a first order:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    '  npm install',
    '  npm start  the provider (no money moves), the session server and a shop; Ctrl-C stops them',
    `Open ${shop}, and pay with the card 9000 0000 0000 0001, any date to come, any code.`,
    '',
    'Each alone: npm run sandbox, npm run server, npm run shop',
    'Merchants: npm run server -- merchants --help',
  ];
}
