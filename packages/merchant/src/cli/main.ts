import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { PayCheckout } from '../client.js';
import { isPayCheckoutError } from '../errors.js';
import { listen } from './listen.js';
import { Report, type Terminal } from './report.js';
import { EVENT_TYPES, trigger } from './trigger.js';
import { verify } from './verify.js';

const HELP = `Usage:
  pay-checkout listen --forward-to <address> [options]
      Sends the events of the session server to a shop on this machine, signed, until each one is acknowledged.
  pay-checkout trigger <type> --forward-to <address> [options]
      Sends one signed sample of an event, and shows the answer. Types:
      ${EVENT_TYPES.join(', ')}
  pay-checkout verify <file>
      Says whether the signature of a stored delivery is right, and if not, why. The file has the headers of the
      request, an empty line and the body; - reads it from the standard input.

  --forward-to <address>  where the shop receives events, such as http://localhost:3000/events
  --server <address>      the session server; default: PAY_CHECKOUT_SERVER
  --merchant <id>         the merchant; default: PAY_CHECKOUT_MERCHANT
  --after <cursor>        listen: starts after this event; default: with the events from now on
  --from-start            listen: starts with the oldest event
  --order <name>          trigger: the order of the sample; default: SAMPLE-1
  --json                  one JSON object in each line
  -h, --help              shows this
  --version               shows the version

The merchant's key and secret are read from PAY_CHECKOUT_API_KEY and PAY_CHECKOUT_SIGNING_SECRET. Without the secret,
listen and trigger sign with one that belongs to the key, and print it for the shop.`;

const OPTIONS = {
  'forward-to': { type: 'string' },
  server: { type: 'string' },
  merchant: { type: 'string' },
  after: { type: 'string' },
  'from-start': { type: 'boolean' },
  order: { type: 'string' },
  json: { type: 'boolean' },
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

type Env = Readonly<Record<string, string | undefined>>;
type Values = ReturnType<typeof parse>['values'];

/** Wrong use: the message says what was expected. */
class UsageError extends Error {}

/** Runs `pay-checkout`. Resolves with the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function main(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  const refuse = (message: string): number => {
    terminal.writeError(`${message}\nTry: pay-checkout --help`);
    return 2;
  };
  try {
    const { values, positionals } = parse(args);
    if (values.help || args.length === 0) {
      terminal.write(HELP);
      return 0;
    }
    if (values.version) {
      const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
      terminal.write((JSON.parse(manifest) as { version: string }).version);
      return 0;
    }
    return await run(positionals, values, env, terminal);
  } catch (error) {
    if (error instanceof UsageError) return refuse(error.message);
    if (!isPayCheckoutError(error)) throw error;
    const source = SOURCES[error.field ?? ''];
    if (source !== undefined) return refuse(`${source}: ${error.message}`);
    terminal.writeError(error.message);
    return 1;
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function run(
  [command, subject, ...more]: readonly string[],
  values: Values,
  env: Env,
  terminal: Terminal,
): Promise<number> {
  const isAlone = command === 'listen' ? subject === undefined : more.length === 0;
  if (!['listen', 'trigger', 'verify'].includes(command ?? '') || !isAlone) {
    throw new UsageError('expected one of the commands listen, trigger <type> and verify <file>');
  }
  const report = new Report(terminal, values.json ?? false);
  const { PAY_CHECKOUT_SIGNING_SECRET: secret } = env;
  if (command === 'verify') {
    if (subject === undefined) throw new UsageError('verify: expected a file, or -');
    if (!secret) throw new UsageError('PAY_CHECKOUT_SIGNING_SECRET: expected the secret, whsec_…');
    return verify(readInput(subject), secret, report);
  }
  const forwardTo = values['forward-to'] ?? '';
  if (!/^https?:/.test(forwardTo) || !URL.canParse(forwardTo)) {
    throw new UsageError('--forward-to: expected an address, such as http://localhost:3000/events');
  }
  const pay = new PayCheckout({
    server: values.server ?? env['PAY_CHECKOUT_SERVER'] ?? '',
    merchant: values.merchant ?? env['PAY_CHECKOUT_MERCHANT'] ?? '',
    apiKey: env['PAY_CHECKOUT_API_KEY'] ?? '',
    ...(secret && { signingSecret: secret }),
  });
  const signingSecret = secret || secretOfKey(env['PAY_CHECKOUT_API_KEY'] ?? '', pay.merchant);
  if (!secret) report.secret(signingSecret);
  if (command === 'trigger') {
    const type = EVENT_TYPES.find((known) => known === subject);
    if (!type) throw new UsageError(`trigger: expected one of ${EVENT_TYPES.join(', ')}`);
    const { order = 'SAMPLE-1' } = values;
    return trigger(
      { type, merchant: pay.merchant, order, signingSecret, forwardTo },
      terminal,
      report,
    );
  }
  const { after, 'from-start': isFromStart = false } = values;
  await listen({ pay, signingSecret, forwardTo, after, isFromStart }, terminal, report);
  return 0;
}

/** @param file `-` for the standard input */
function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`verify: ${(error as Error).message}`);
  }
}

/** The same in each run, so that a shop keeps it; nothing can be concluded from it about the key. */
function secretOfKey(apiKey: string, merchant: string): string {
  const text = `pay-checkout.listen.v1\n${merchant}`;
  return `whsec_${createHmac('sha256', apiKey).update(text).digest('base64')}`;
}
