import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { PayCheckout } from '../client.js';
import { isPayCheckoutError } from '../errors.js';
import { listen, type Terminal } from './listen.js';

const HELP = `Usage: pay-checkout listen --forward-to <address> [options]

Sends the events of the session server to a shop on this machine, signed, until each one is acknowledged.

  --forward-to <address>  where the shop receives events, such as http://localhost:3000/events
  --server <address>      the session server; default: PAY_CHECKOUT_SERVER
  --merchant <id>         the merchant; default: PAY_CHECKOUT_MERCHANT
  --after <cursor>        starts after this event; default: with the events from now on
  --from-start            starts with the oldest event
  -h, --help              shows this
  --version               shows the version

The merchant's key and secret are read from PAY_CHECKOUT_API_KEY and PAY_CHECKOUT_SIGNING_SECRET.`;

const OPTIONS = {
  'forward-to': { type: 'string' },
  server: { type: 'string' },
  merchant: { type: 'string' },
  after: { type: 'string' },
  'from-start': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} satisfies ParseArgsConfig['options'];

/** What to set when an option of the client is wrong. */
const SOURCES: Readonly<Record<string, string>> = {
  server: '--server or PAY_CHECKOUT_SERVER',
  merchant: '--merchant or PAY_CHECKOUT_MERCHANT',
  apiKey: 'PAY_CHECKOUT_API_KEY',
  signingSecret: 'PAY_CHECKOUT_SIGNING_SECRET',
};

/** Runs `pay-checkout`. Resolves with the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function main(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const refuse = (message: string): number => {
    terminal.writeError(`${message}\nTry: pay-checkout --help`);
    return 2;
  };
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return refuse((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help || args.length === 0) {
    terminal.write(HELP);
    return 0;
  }
  if (values.version) {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    terminal.write((JSON.parse(manifest) as { version: string }).version);
    return 0;
  }
  if (positionals.join(' ') !== 'listen') return refuse('The only command is: listen');
  const forwardTo = values['forward-to'] ?? '';
  if (!/^https?:/.test(forwardTo) || !URL.canParse(forwardTo)) {
    return refuse('--forward-to: expected an address, such as http://localhost:3000/events');
  }
  const signingSecret = env['PAY_CHECKOUT_SIGNING_SECRET'] ?? '';
  try {
    const pay = new PayCheckout({
      server: values.server ?? env['PAY_CHECKOUT_SERVER'] ?? '',
      merchant: values.merchant ?? env['PAY_CHECKOUT_MERCHANT'] ?? '',
      apiKey: env['PAY_CHECKOUT_API_KEY'] ?? '',
      signingSecret,
    });
    const { after, 'from-start': isFromStart = false } = values;
    await listen({ pay, signingSecret, forwardTo, after, isFromStart }, terminal);
    return 0;
  } catch (error) {
    if (!isPayCheckoutError(error)) throw error;
    const source = SOURCES[error.field ?? ''];
    if (source !== undefined) return refuse(`${source}: ${error.message}`);
    terminal.writeError(error.message);
    return 1;
  }
}
