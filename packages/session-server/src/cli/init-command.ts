import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AppError, ConfigError } from '../errors.js';
import { VERSION } from '../version.js';

const ONLY_OWNER = 0o600;
const MERCHANT = 'my-shop';
const SHOP_SCRIPT = fileURLToPath(new URL('../../assets/init/shop.mjs', import.meta.url));
/** The programs, as they are installed in the folder. */
const PROGRAMS = {
  sandbox: 'node_modules/@pay-checkout/sandbox/dist/main.js',
  server: 'node_modules/@pay-checkout/session-server/dist/bin.js',
};

/**
 * `pay-session-server init <folder>`: writes a folder in which sandbox, session server and a shop's back
 * end run, with secrets of their own.
 *
 * @returns the lines to print: what to do next
 * @throws {ConfigError} when the folder holds anything
 */
export function runInit(words: readonly string[]): string[] {
  const { folder, port, sandboxPort, shopPort } = parseWords(words);
  makeEmpty(folder);
  const server = `http://127.0.0.1:${port}`;
  const sandbox = `http://127.0.0.1:${sandboxPort}`;
  const shop = `http://127.0.0.1:${shopPort}`;
  const providerKey = randomBytes(32).toString('base64url');
  const merchantKey = randomBytes(32).toString('base64url');
  const signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const write = (name: string, text: string, mode = 0o644): void => {
    writeFileSync(join(folder, name), text, { mode, flag: 'wx' });
  };
  for (const name of ['secrets', 'data']) mkdirSync(join(folder, name), { mode: 0o700 });
  write('secrets/provider-api-key', `${providerKey}\n`, ONLY_OWNER);
  const encryptionKey = `first:${randomBytes(32).toString('base64')}`;
  write('secrets/encryption-key', `${encryptionKey}\n`, ONLY_OWNER);
  write('.env', settings({ port, server, sandboxPort, sandbox, providerKey }), ONLY_OWNER);
  const merchants = { merchantKey, signingSecret, sandbox, shop };
  write('merchants.json', toJson(merchantsFile(merchants)), ONLY_OWNER);
  write('shop.env', shopSettings({ server, shopPort, merchantKey, signingSecret }), ONLY_OWNER);
  write('shop.mjs', readFileSync(SHOP_SCRIPT, 'utf8'));
  write('package.json', toJson(PACKAGE));
  write('compose.yaml', compose(port, sandboxPort));
  write('.gitignore', 'node_modules/\nsecrets/\ndata/\n.env\nshop.env\nmerchants.json\n');
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

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function settings(at: {
  readonly port: string;
  readonly server: string;
  readonly sandboxPort: string;
  readonly sandbox: string;
  readonly providerKey: string;
}): string {
  return `# The session server: docs/operations/configure.md
PAY_ENVIRONMENT=sandbox
PAY_PORT=${at.port}
PAY_PUBLIC_URL=${at.server}
PAY_DATABASE_FILE=data/pay.sqlite
PAY_MERCHANTS_FILE=merchants.json
PAY_WIDGET_SCRIPT=node_modules/@pay-checkout/widget/dist/pay-checkout.js
PAY_PARTNER_API_URL=${at.sandbox}
PAY_PARTNER_API_KEY_FILE=secrets/provider-api-key
PAY_ENCRYPTION_KEY_FILE=secrets/encryption-key

# The provider on this machine. Its key is that of secrets/provider-api-key
SANDBOX_PORT=${at.sandboxPort}
SANDBOX_PUBLIC_URL=${at.sandbox}
SANDBOX_API_KEY=${at.providerKey}
SANDBOX_MERCHANTS='[{"id":1001,"name":"My Shop","currency":"GBP"}]'
`;
}

function merchantsFile(of: {
  readonly merchantKey: string;
  readonly signingSecret: string;
  readonly shop: string;
  readonly sandbox: string;
}) {
  return {
    $schema: './node_modules/@pay-checkout/session-server/merchants.schema.json',
    merchants: [
      {
        id: MERCHANT,
        name: 'My Shop',
        providerMerchantId: 1001,
        currency: 'GBP',
        origins: [of.shop],
        returnUrl: `${of.shop}/result?order={order}&checkout={checkout}&kind={kind}`,
        sdk: sandboxSdk(of.sandbox),
        apiKeyHash: [`sha256:${createHash('sha256').update(of.merchantKey).digest('hex')}`],
        signingSecret: [of.signingSecret],
      },
    ],
  };
}

/** The client SDK of the sandbox, as the sandbox itself describes it: a test compares them. */
export function sandboxSdk(origin: string) {
  return {
    url: `${origin}/sdk/checkout.js`,
    global: 'PaySandbox',
    argument: 'object',
    callbacks: {
      onReady: 'shown',
      onSubmit: 'submitted',
      onDecline: 'declined',
      onExpire: 'expired',
      onError: 'error',
    },
    origins: { script: [origin], frame: [origin], connect: [] },
    container: 'selector',
  };
}

/** What the shop is given, by the names that the examples and `pay-checkout listen` read. */
function shopSettings(of: {
  readonly server: string;
  readonly shopPort: string;
  readonly merchantKey: string;
  readonly signingSecret: string;
}): string {
  return `# What a shop is given: its back end alone may have it
PAY_CHECKOUT_SERVER=${of.server}
PAY_CHECKOUT_MERCHANT=${MERCHANT}
PAY_CHECKOUT_API_KEY=${of.merchantKey}
PAY_CHECKOUT_SIGNING_SECRET=${of.signingSecret}

SHOP_PORT=${of.shopPort}
`;
}

const PACKAGE = {
  private: true,
  scripts: {
    sandbox: `node --env-file=.env ${PROGRAMS.sandbox}`,
    server: `node --env-file=.env ${PROGRAMS.server}`,
    shop: 'node --env-file=shop.env shop.mjs',
  },
  dependencies: Object.fromEntries(
    ['merchant', 'sandbox', 'session-server', 'widget'].map((name) => [
      `@pay-checkout/${name}`,
      VERSION,
    ]),
  ),
};

/** The settings of `.env` stand, but for the addresses: containers have names. */
function compose(port: string, sandboxPort: string): string {
  const user = `${String(process.getuid?.() ?? 1000)}:${String(process.getgid?.() ?? 1000)}`;
  const command = (program: string) => JSON.stringify(['node', '--env-file=.env', program]);
  return `# Sandbox and session server in containers: npm install, then docker compose up.
# Their data are in memory and end with the containers.
x-node: &node
  image: node:24-slim
  init: true
  user: '${user}'
  working_dir: /app
  volumes: ['.:/app:ro']
  read_only: true
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']

services:
  sandbox:
    <<: *node
    command: ${command(PROGRAMS.sandbox)}
    environment:
      SANDBOX_HOST: 0.0.0.0
    ports: ['127.0.0.1:${sandboxPort}:${sandboxPort}']

  server:
    <<: *node
    command: ${command(PROGRAMS.server)}
    environment:
      PAY_HOST: 0.0.0.0
      PAY_PARTNER_API_URL: http://sandbox:${sandboxPort}
      PAY_WEBHOOK_BASE_URL: http://server:${port}
      PAY_DATABASE_FILE: /data/pay.sqlite
    tmpfs: ['/data:mode=1777']
    ports: ['127.0.0.1:${port}:${port}']
    depends_on: [sandbox]
`;
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
    '  npm run sandbox  the provider; leave it running (no money moves)',
    '  npm run server   the session server, in a second terminal',
    '  npm run shop     a shop, in a third',
    `Open ${shop}, and pay with the card 9000 0000 0000 0001, any date to come, any code.`,
    '',
    'Merchants: npm run server -- merchants --help',
  ];
}
