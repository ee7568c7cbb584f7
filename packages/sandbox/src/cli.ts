import { parseArgs } from 'node:util';
import { z } from 'zod';
import { CONTROL_ROUTES } from './control/control-routes.js';
import { toJsonSchema } from './control/describe-routes.js';
import type { ControlRoute } from './control/route.js';
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
  /** Names of its options. */
  readonly options: readonly string[];
  /** What to call, given the words in `<…>`. */
  readonly call: (words: readonly string[], options: Options) => Call | Promise<Call>;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** What to print of the answer. Default: all. */
  readonly pick?: (answer: unknown) => unknown;
}

type Options = Readonly<Record<string, string | undefined>>;

/** A field of a query or body, as much of JSON Schema as the routes use. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Field;
  readonly prefixItems?: readonly Field[];
}

/** The command of a route: its fields are words of the command, or options. */
function commandOf(route: ControlRoute, usage: string): Command {
  const fields = fieldsOf(route.query ?? route.body);
  // The first word may be the parameter of the path.
  const skipped = route.path.includes(':') ? 1 : 0;
  const named = placeholdersOf(usage).slice(skipped);
  const options = Object.keys(fields).filter((name) => !named.includes(name));
  const choices = named.flatMap((name) => {
    const values = fields[name]?.enum;
    return values ? [`${name}: ${values.join(', ')}`] : [];
  });
  return {
    usage,
    what: [route.summary, ...choices].join('; '),
    options: options.map(toOption),
    call(words, given) {
      const [parameter = ''] = words;
      const path = route.path.replace(/:\w+/, encodeURIComponent(parameter));
      const texts = [
        ...named.map((name, at) => [name, words[at + skipped]] as const),
        ...options.map((name) => [name, given[toOption(name)]] as const),
      ].filter((entry): entry is [string, string] => entry[1] !== undefined);
      const method = route.method.toUpperCase();
      if (route.query) {
        return { method, path: `${path}?${new URLSearchParams(texts).toString()}` };
      }
      const values = texts.map(([name, text]) => [name, readValue(fields[name], text)] as const);
      return { method, path, ...(route.body && { body: Object.fromEntries(values) }) };
    },
  };
}

function fieldsOf(schema: z.ZodType | undefined): Readonly<Record<string, Field>> {
  if (schema === undefined) return {};
  interface ObjectSchema {
    readonly properties?: Readonly<Record<string, Field>>;
    readonly anyOf?: readonly ObjectSchema[];
  }
  const { properties, anyOf: [first] = [] }: ObjectSchema = toJsonSchema(schema);
  return properties ?? first?.properties ?? {};
}

function placeholdersOf(usage: string): string[] {
  return [...usage.matchAll(/<(\w+)>/g)].map(([, name = '']) => name);
}

/** `latencySeconds` is `--latency-seconds`. */
function toOption(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What is no number stays a text, which the sandbox refuses by its field. */
function readValue(field: Field | undefined, text: string): unknown {
  const { type, items, prefixItems: [first] = [] } = field ?? {};
  if (type === 'array') return text.split(',').map((part) => readValue(first ?? items, part));
  if (type === 'boolean') return readJson(text) ?? text;
  const isNumber = type === 'number' || type === 'integer';
  return isNumber && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Those that are more than a route. */
const OWN_COMMANDS: readonly Command[] = [
  {
    usage: 'trigger <scenario>',
    what: `Submit that card in the newest open session, or in --session: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
    options: ['session'],
    async call([scenario], { session, url = '' }) {
      const id = session ?? (await newestOpenSession(url));
      return {
        method: 'POST',
        path: `/sessions/${encodeURIComponent(id)}/pay`,
        body: { scenario },
      };
    },
  },
  {
    usage: 'sessions decline <session>',
    what: 'Submit a card that is declined',
    options: [],
    call: ([id = '']) => ({
      method: 'POST',
      path: `/sessions/${encodeURIComponent(id)}/pay`,
      body: { scenario: 'declined' },
    }),
  },
  {
    usage: 'webhooks delay <seconds>',
    what: 'Send the webhooks that follow so much later',
    options: [],
    call: ([seconds]) => setSwitch('webhookDelaySeconds', Number(seconds)),
  },
  {
    usage: 'clock set <time>',
    what: 'Set the time, such as 2026-01-31T12:00:00.000Z',
    options: [],
    call: ([now]) => ({ method: 'POST', path: '/clock', body: { now } }),
  },
  {
    usage: 'switches set <switch> <value>',
    what: 'Change a switch, such as maxLimit 50; null: its default',
    options: [],
    call: ([name = '', value = '']) =>
      setSwitch(name, readJson(value) ?? (value === 'null' ? null : value)),
  },
];

/** Sorted. A start of the sandbox does without them. */
function listCommands(): readonly Command[] {
  const ofRoutes = CONTROL_ROUTES.flatMap((route) =>
    route.command === undefined ? [] : [commandOf(route, route.command)],
  );
  return [...OWN_COMMANDS, ...ofRoutes].sort((one, other) => (one.usage < other.usage ? -1 : 1));
}

const DEFAULT_PORT = '4300';

function describeUsage(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, what, options }) => {
    const names = options.map((name) => ` [--${name}]`).join('');
    return `  ${usage.padEnd(width)}  ${what}${names}`;
  });
  return `Usage: pay-sandbox [--config <file>] [--adversarial <seed>]
                                runs the sandbox; its README lists the settings
       pay-sandbox <command>    controls one that runs

${lines.join('\n')}

  --url <address>  the sandbox; default: SANDBOX_URL, or http://127.0.0.1 at SANDBOX_PORT (4300)
  -h, --help       shows this

A command prints the answer as JSON. It exits with 1 if it failed and with 2 if it was not understood.`;
}

/** Controls a running sandbox. Resolves with the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const refuse = (message: string): number => {
    terminal.writeError(`${message}\nTry: pay-sandbox --help`);
    return 2;
  };
  const commands = listCommands();
  let parsed;
  try {
    const names = ['url', ...commands.flatMap(({ options }) => options)];
    const texts = names.map((name) => [name, { type: 'string' as const }] as const);
    parsed = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(texts), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
  const { help, ...given } = parsed.values;
  const options: Options = given;
  if (help) {
    terminal.write(describeUsage(commands));
    return 0;
  }
  const { SANDBOX_URL, SANDBOX_PORT } = terminal.env;
  const url = options['url'] || SANDBOX_URL || `http://127.0.0.1:${SANDBOX_PORT || DEFAULT_PORT}`;
  if (!/^https?:/.test(url) || !URL.canParse(url)) return refuse('--url: expected an address');
  const found = findCommand(commands, parsed.positionals);
  if (found === undefined) {
    const words = parsed.positionals.join(' ');
    const near = commands.find(({ usage }) => usage.startsWith(`${words} <`));
    return refuse(near ? `Expected: pay-sandbox ${near.usage}` : `There is no command: ${words}`);
  }
  const { usage, options: known } = found.command;
  const unknown = Object.keys(options).find((name) => name !== 'url' && !known.includes(name));
  if (unknown !== undefined) return refuse(`--${unknown} is no option of: pay-sandbox ${usage}`);
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
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command; readonly words: readonly string[] } | undefined {
  for (const command of commands) {
    const usage = command.usage.split(' ');
    const isMatch = (word: string, index: number) => word.startsWith('<') || word === words[index];
    if (usage.length === words.length && usage.every(isMatch)) {
      const given = words.filter((_word, index) => usage[index]?.startsWith('<'));
      return { command, words: given };
    }
  }
  return undefined;
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

const sessionList = z.object({
  sessions: z.array(z.object({ session_id: z.string(), state: z.string() })),
});

async function newestOpenSession(url: string): Promise<string> {
  const { sessions } = sessionList.parse(
    JSON.parse(await send(url, { method: 'GET', path: '/sessions' })),
  );
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
