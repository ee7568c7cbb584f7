import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const TEMPLATES = new URL('../templates/', import.meta.url);
const { version: VERSION } = createRequire(import.meta.url)('../package.json') as {
  readonly version: string;
};

/** Why no folder was written, or what is missing in it: its message is for the reader of a terminal. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}

interface FolderOptions {
  readonly isTypeScript: boolean;
  readonly ports: Readonly<Record<'shop' | 'server' | 'sandbox' | 'dashboard', number>>;
}

interface TemplateFile {
  readonly name: string;
  readonly template: string;
  /** The owner alone may read what holds secrets. */
  readonly hasSecrets?: boolean;
}

/**
 * Writes a folder in which sandbox, session server and a shop run, with secrets of their own.
 *
 * @throws {CreateError} when the folder holds anything; nothing is written
 */
export function writeFolder(folder: string, options: FolderOptions): void {
  makeEmpty(folder);
  const values = valuesOf(options);
  const write = (name: string, text: string, hasSecrets = false): void => {
    writeFileSync(join(folder, name), text, { mode: hasSecrets ? 0o600 : 0o644, flag: 'wx' });
  };
  for (const name of ['secrets', 'data']) mkdirSync(join(folder, name), { mode: 0o700 });
  write('secrets/provider-api-key', `${values['providerKey'] ?? ''}\n`, true);
  write('secrets/encryption-key', `first:${randomBytes(32).toString('base64')}\n`, true);
  for (const { name, template, hasSecrets } of filesOf(options)) {
    const text = readFileSync(new URL(template, TEMPLATES), 'utf8');
    const filled = text.replace(/\{\{(\w+)\}\}/g, (place, value: string) => values[value] ?? place);
    write(name, filled, hasSecrets);
  }
}

function filesOf({ isTypeScript }: FolderOptions): TemplateFile[] {
  return [
    { name: '.env', template: 'env', hasSecrets: true },
    { name: 'merchants.json', template: 'merchants.json', hasSecrets: true },
    { name: 'shop.env', template: 'shop.env', hasSecrets: true },
    { name: isTypeScript ? 'shop.ts' : 'shop.mjs', template: 'shop.mjs' },
    ...(isTypeScript ? [{ name: 'tsconfig.json', template: 'tsconfig.json' }] : []),
    { name: 'start.mjs', template: 'start.mjs' },
    { name: 'package.json', template: isTypeScript ? 'packages-typescript.json' : 'packages.json' },
    { name: 'README.md', template: 'readme' },
    { name: 'compose.yaml', template: 'compose.yaml' },
    // npm would not publish it under its own name.
    { name: '.gitignore', template: 'gitignore' },
  ];
}

/** What the templates name in double braces. */
function valuesOf({ isTypeScript, ports }: FolderOptions): Readonly<Record<string, string>> {
  const providerKey = randomBytes(32).toString('base64url');
  const merchantKey = randomBytes(32).toString('base64url');
  const addressOf = (port: number): string => `http://127.0.0.1:${String(port)}`;
  return {
    port: String(ports.server),
    sandboxPort: String(ports.sandbox),
    shopPort: String(ports.shop),
    dashboardPort: String(ports.dashboard),
    server: addressOf(ports.server),
    sandbox: addressOf(ports.sandbox),
    shop: addressOf(ports.shop),
    dashboard: addressOf(ports.dashboard),
    shopFile: isTypeScript ? 'shop.ts' : 'shop.mjs',
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
}

function makeEmpty(folder: string): void {
  let names: string[];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    names = readdirSync(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CreateError(`the folder ${folder} cannot be made (${code})`);
  }
  if (names.length > 0) {
    throw new CreateError(`the folder ${folder} is not empty; nothing was written`);
  }
}
