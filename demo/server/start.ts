/** `npm start`: the whole thing on your machine, one command, and nothing left after Ctrl-C. */
import { TEST_CARDS } from './stack/test-cards.js';
import { startStack, type Stack } from './stack.js';
import { readStartOptions } from './stack/start-options.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const stopping = new AbortController();

for (const signal of STOP_SIGNALS) {
  process.on(signal, () => {
    stopping.abort();
  });
}

try {
  await run(stopping.signal);
} catch (error) {
  console.error(`\n  ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function run(signal: AbortSignal): Promise<void> {
  // Before the stack is there, our own end is enough: the processes end with their channel.
  const exit = (): void => process.exit(0);
  signal.addEventListener('abort', exit);
  const stack = await startStack({
    ...readStartOptions(process.env),
    hasConsole: true,
    onLine: (name, line) => {
      console.error(`  [${name}] ${line}`);
    },
    onDeath: (reason) => {
      console.error(
        `\n  ${reason}\n\n  Everything else was stopped. Start again with npm start.\n`,
      );
      process.exit(1);
    },
  });
  signal.removeEventListener('abort', exit);
  signal.addEventListener('abort', () => {
    void stack.stop().then(exit);
  });
  console.log(makeBanner(stack));
}

function makeBanner({ addresses, ports }: Stack): string {
  const moved = Object.entries(ports)
    .filter(([, { wanted, port }]) => wanted !== port)
    .map(([name, { wanted, port }]) => `  Port ${wanted} is in use: the ${name} is on ${port}.`);
  const cards = TEST_CARDS.map(({ number, story }) => `    ${number}  ${story}`);
  return [
    '',
    ...moved,
    `  The shop is open:  ${addresses.shop}`,
    `  The playground:    ${addresses.shop}/playground`,
    `  Partner console:   ${addresses.console}`,
    '',
    '  Cards that work here (any name, any month to come, any three digits):',
    ...cards,
    '',
    '  Ctrl-C closes everything.',
    '',
  ].join('\n');
}
