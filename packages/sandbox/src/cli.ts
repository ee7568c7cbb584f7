import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FAULT_KINDS, FAULT_TARGETS } from './faults/fault-table.js';
import { SCENARIOS } from './scenarios.js';

/** The streams and environment of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
}

interface Command {
  /** `<name>`: a word that must follow. */
  readonly usage: string;
  readonly what: string;
  /** What to call, given the words in `<…>`. */
  readonly call: (words: readonly string[], options: Options) => Call | Promise<Call>;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** What to print of the answer. Default: all. */
  readonly pick?: (answer: unknown) => unknown;
}

type Options = Readonly<Record<string, string | undefined>>;

const OPTIONS = {
  url: { type: 'string' },
  session: { type: 'string' },
  amount: { type: 'string' },
  as: { type: 'string' },
  outcome: { type: 'string' },
  seed: { type: 'string' },
  times: { type: 'string' },
  probability: { type: 'string' },
  latency: { type: 'string' },
  status: { type: 'string' },
  seconds: { type: 'string' },
  location: { type: 'string' },
  reseller: { type: 'string' },
} as const;

const COMMANDS: readonly Command[] = [
  {
    usage: 'trigger <scenario>',
    what: `submits that card in the newest open session, or --session: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
    call: async ([scenario], { session, url = '' }) =>
      post(pathOf('sessions', session ?? (await newestOpenSession(url)), 'pay'), { scenario }),
  },
  { usage: 'sessions', what: 'lists the checkout sessions', call: () => get('/sessions') },
  {
    usage: 'sessions pay <session>',
    what: 'the shopper pays',
    call: ([id = '']) => post(pathOf('sessions', id, 'pay')),
  },
  {
    usage: 'sessions decline <session>',
    what: 'the card is declined',
    call: ([id = '']) => post(pathOf('sessions', id, 'pay'), { scenario: 'declined' }),
  },
  {
    usage: 'sessions cancel <session>',
    what: 'the shopper leaves by CancelUrl',
    call: ([id = '']) => post(pathOf('sessions', id, 'cancel')),
  },
  {
    usage: 'sessions expire <session>',
    what: 'it can no longer be paid',
    call: ([id = '']) => post(pathOf('sessions', id, 'expire')),
  },
  {
    usage: 'transactions',
    what: 'lists those that arrived or changed',
    call: () => get('/transactions'),
  },
  {
    usage: 'transactions refund <transaction>',
    what: 'in full, or --amount 1.50; --as add: as a row of its own',
    call: ([id = ''], { amount, as }) => post(pathOf('transactions', id, 'refund'), { amount, as }),
  },
  {
    usage: 'webhooks send <session>',
    what: 'sends that it was paid, or --outcome: declined, refunded, cancelled, expired',
    call: ([session], { outcome }) => post('/webhooks/send', { session, outcome }),
  },
  {
    usage: 'webhooks resend <webhook>',
    what: 'sends it once more, under its id',
    call: ([id = '']) => post(pathOf('webhooks', id, 'resend')),
  },
  {
    usage: 'webhooks forge <session>',
    what: 'says what did not happen, signed with another key; --outcome',
    call: ([session], { outcome }) => post('/webhooks/forge', { session, outcome }),
  },
  {
    usage: 'webhooks delay <seconds>',
    what: 'sends those that follow so much later',
    call: ([seconds]) => setSwitch('webhookDelaySeconds', Number(seconds)),
  },
  {
    usage: 'webhooks reorder <count>',
    what: 'sends the next ones last first',
    call: ([count]) => post('/webhooks/reorder', { count: Number(count) }),
  },
  { usage: 'webhooks', what: 'lists the tries at webhooks', call: () => get('/deliveries') },
  {
    usage: 'webhooks show <number>',
    what: 'a try with headers and bodies',
    call: ([number = '']) => get(`/deliveries/${encodeURIComponent(number)}`),
  },
  { usage: 'requests', what: 'lists the calls of the API', call: () => get('/requests') },
  { usage: 'clock', what: 'shows the time', call: () => get('/clock') },
  {
    usage: 'clock advance <seconds>',
    what: 'moves the time',
    call: ([seconds]) => post('/clock', { advanceSeconds: Number(seconds) }),
  },
  {
    usage: 'clock set <time>',
    what: 'such as 2026-01-31T12:00:00.000Z',
    call: ([now]) => post('/clock', { now }),
  },
  { usage: 'faults', what: 'lists the queued faults', call: () => get('/faults') },
  {
    usage: 'faults add <target> <fault>',
    what:
      'fails what comes next: --times 2 --probability 0.5 --latency 0.2,1.5 --status 503 --seconds 5 --location <address>; ' +
      `targets: ${FAULT_TARGETS.join(', ')}; faults: ${FAULT_KINDS.join(', ')}`,
    call: ([operation, fault], { latency, location, times, probability, status, seconds }) =>
      post('/faults', {
        operation,
        fault,
        location,
        ...toNumbers({ times, probability, status, seconds }),
        ...(latency !== undefined && { latencySeconds: latency.split(',').map(Number) }),
      }),
  },
  {
    usage: 'faults clear',
    what: 'clears the faults and answers held calls',
    call: () => ({ method: 'DELETE', path: '/faults' }),
  },
  { usage: 'keys', what: 'lists the API keys by name', call: () => get('/keys') },
  {
    usage: 'keys add <name>',
    what: 'makes one and shows it once; --reseller 7002: it knows the merchants of that one only',
    call: ([name], { reseller }) => post('/keys', { name, ...toNumbers({ resellerId: reseller }) }),
  },
  {
    usage: 'keys revoke <name>',
    what: 'calls with it are refused',
    call: ([name = '']) => ({ method: 'DELETE', path: `/keys/${encodeURIComponent(name)}` }),
  },
  { usage: 'merchants', what: 'lists the merchants', call: () => get('/merchants') },
  {
    usage: 'merchants add <id> <name> <currency>',
    what: '--reseller 7002: of that one',
    call: ([id, name, currency], { reseller }) =>
      post('/merchants', { name, currency, ...toNumbers({ id, resellerId: reseller }) }),
  },
  {
    usage: 'merchants remove <id>',
    what: 'it gets no new sessions; what happened to it stays',
    call: ([id = '']) => ({ method: 'DELETE', path: `/merchants/${encodeURIComponent(id)}` }),
  },
  { usage: 'partners', what: 'lists whose analytics can be read', call: () => get('/partners') },
  {
    usage: 'partners add <name>',
    what: '--reseller 7002: of the merchants of that one',
    call: ([name], { reseller }) =>
      post('/partners', { name, ...toNumbers({ resellerId: reseller }) }),
  },
  {
    usage: 'partners remove <name>',
    what: 'its analytics get 403',
    call: ([name = '']) => ({ method: 'DELETE', path: `/partners/${encodeURIComponent(name)}` }),
  },
  {
    usage: 'switches',
    what: 'lists what the specification does not show',
    call: () => get('/switches'),
  },
  {
    usage: 'switches set <switch> <value>',
    what: 'such as maxLimit 50; null: as at the start',
    call: ([name = '', value = '']) =>
      setSwitch(name, readJson(value) ?? (value === 'null' ? null : value)),
  },
  {
    usage: 'reset',
    what: 'back to the start; --seed: with other transactions',
    call: (_words, { seed }) => post('/reset', { seed }),
  },
];

const DEFAULT_PORT = '4300';
const WIDTH = Math.max(...COMMANDS.map(({ usage }) => usage.length));

export const HELP = `Usage: pay-sandbox [--config <file>] [--adversarial <seed>]
                                runs the sandbox; its README lists the settings
       pay-sandbox <command>    controls one that runs

${COMMANDS.map(({ usage, what }) => `  ${usage.padEnd(WIDTH)}  ${what}`).join('\n')}

  --url <address>  the sandbox; default: SANDBOX_URL, or http://127.0.0.1 at SANDBOX_PORT (4300)
  -h, --help       shows this

A command prints the answer as JSON. It exits with 1 if it failed and with 2 if it was not understood.`;

/** Controls a running sandbox. Resolves with the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const refuse = (message: string): number => {
    terminal.writeError(`${message}\nTry: pay-sandbox --help`);
    return 2;
  };
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      options: { ...OPTIONS, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
  const { help, ...options } = parsed.values;
  if (help) {
    terminal.write(HELP);
    return 0;
  }
  const { SANDBOX_URL, SANDBOX_PORT } = terminal.env;
  const url = options.url || SANDBOX_URL || `http://127.0.0.1:${SANDBOX_PORT || DEFAULT_PORT}`;
  if (!/^https?:/.test(url) || !URL.canParse(url)) return refuse('--url: expected an address');
  const found = findCommand(parsed.positionals);
  if (found === undefined) {
    const words = parsed.positionals.join(' ');
    const near = COMMANDS.find(({ usage }) => usage.startsWith(`${words} <`));
    return refuse(near ? `Expected: pay-sandbox ${near.usage}` : `There is no command: ${words}`);
  }
  try {
    const call = await found.command.call(found.words, { ...options, url });
    const answer = await send(url, call);
    if (answer !== '') {
      const { pick = (all: unknown) => all } = call;
      terminal.write(JSON.stringify(pick(JSON.parse(answer)), undefined, 2));
    }
    return 0;
  } catch (error) {
    terminal.writeError((error as Error).message);
    return 1;
  }
}

function findCommand(
  words: readonly string[],
): { readonly command: Command; readonly words: readonly string[] } | undefined {
  for (const command of COMMANDS) {
    const usage = command.usage.split(' ');
    const isMatch = (word: string, index: number) => word.startsWith('<') || word === words[index];
    if (usage.length === words.length && usage.every(isMatch)) {
      const given = words.filter((_word, index) => usage[index]?.startsWith('<'));
      return { command, words: given };
    }
  }
  return undefined;
}

function get(path: string): Call {
  return { method: 'GET', path };
}

function post(path: string, body: unknown = {}): Call {
  return { method: 'POST', path, body };
}

const switchList = z.object({ switches: z.array(z.looseObject({ name: z.string() })) });

function setSwitch(name: string, value: unknown): Call {
  return {
    method: 'PATCH',
    path: '/switches',
    body: { [name]: value },
    pick: (answer) => switchList.parse(answer).switches.find((one) => one.name === name),
  };
}

function toNumbers(options: Options): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, Number(text)]],
    ),
  );
}

function pathOf(collection: string, id: string, action: string): string {
  return `/${collection}/${encodeURIComponent(id)}/${action}`;
}

const sessionList = z.object({
  sessions: z.array(z.object({ session_id: z.string(), state: z.string() })),
});

async function newestOpenSession(url: string): Promise<string> {
  const { sessions } = sessionList.parse(JSON.parse(await send(url, get('/sessions'))));
  const newest = sessions.findLast(({ state }) => state === 'open');
  if (newest === undefined) throw new Error('No session is open. Create one, or name one.');
  return newest.session_id;
}

/** The text of the answer; an error says what the sandbox refused. */
async function send(url: string, { method, path, body }: Call): Promise<string> {
  const response = await fetch(new URL(`/_sandbox${path}`, url), {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch(() => {
    throw new Error(`No sandbox answers at ${url}. Start it, or name it with --url.`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(describeRefusal(text, response.status));
  return text;
}

const refusal = z.object({
  message: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

function describeRefusal(text: string, status: number): string {
  const result = refusal.safeParse(readJson(text));
  if (!result.success) return `The answer was ${status}, and not that of a sandbox.`;
  const { message, errors = [] } = result.data;
  return [message, ...errors.map((error) => `- ${error.field}: ${error.message}`)].join('\n');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
