/** `npm start`: the whole thing on your machine, one address, and nothing left after Ctrl-C. */
import { TEST_CARDS } from './stack/test-cards.js';
import { startStack, type Stack } from './stack.js';
import { readStartOptions } from './stack/start-options.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let stack: Stack | undefined;
let isStopping = false;

for (const signal of STOP_SIGNALS) {
  process.on(signal, () => {
    void stopAndExit(0);
  });
}

try {
  stack = await startStack({
    ...readStartOptions(process.env),
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
  if (isStopping) await stack.stop();
  else console.log(makeBanner(stack));
} catch (error) {
  if (!isStopping) console.error(`\n  ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isStopping ? 0 : 1;
}

async function stopAndExit(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  // While the stack is still starting, the end of this process ends the others: their channel closes.
  await stack?.stop();
  process.exit(code);
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
    '',
    '  Cards that work here (any name, any month to come, any three digits):',
    ...cards,
    '',
    '  Ctrl-C closes everything.',
    '',
  ].join('\n');
}
