/** `npm start`: the whole thing on your machine, one command, and nothing left after Ctrl-C. */
import { parseArgs } from 'node:util';
import { exportForPayPartner } from '@pay-checkout/sandbox';
import { isPort } from '../shared/config.js';
import { deriveOperatorKey } from './secrets.js';
import { perPort, type PortName } from './settings.js';
import { startStack, type Stack, DEFAULT_PORTS, type StackOptions } from './stack.js';

/** Cards of the sandbox to try first; no real card begins with a 9. */
const TEST_CARDS = [
  { number: '9000 0000 0000 0001', result: 'is approved' },
  { number: '9000 0000 0000 0019', result: 'is declined; then try another one' },
  { number: '9000 0000 0000 0027', result: 'asks for a code first, and the code is 1234' },
];

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function run(signal: AbortSignal): Promise<void> {
  const { adversarial } = parseArgs({ options: { adversarial: { type: 'string' } } }).values;
  // Before the stack is there, our own end is enough: the processes end with their channel.
  const exit = (): void => process.exit(0);
  signal.addEventListener('abort', exit);
  const stack = await startStack({
    ...readStartOptions(process.env),
    ...(adversarial !== undefined && { env: { sandbox: { SANDBOX_ADVERSARIAL: adversarial } } }),
    isWhole: true,
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
  console.log(makeBanner(stack, adversarial));
}

function makeBanner({ addresses, ports, secrets }: Stack, adversarial?: string): string {
  const moved = Object.entries(ports)
    .filter(([, { wanted, port }]) => wanted !== 0 && wanted !== port)
    .map(([name, { wanted, port }]) => `  Port ${wanted} is in use: the ${name} is on ${port}.`);
  const cards = TEST_CARDS.map(({ number, result }) => `    ${number}  ${result}`);
  return [
    '',
    ...moved,
    `  The shop is open:  ${addresses.shop}`,
    `  The second shop:   ${addresses.roastery}`,
    `  The playground:    ${addresses.shop}/playground`,
    `  Partner console:   ${addresses.console}`,
    `  Operator’s page:   ${addresses.operator}`,
    `    its key:         ${deriveOperatorKey(secrets)}`,
    `  Dashboard:         ${addresses.dashboard}`,
    `    the shop’s key:  ${secrets.merchantApiKey}`,
    `  The sandbox:       ${addresses.sandbox}`,
    `    its key:         ${secrets.providerApiKey}`,
    `    pay-partner:     ${exportForPayPartner({ url: addresses.sandboxApi, apiKey: secrets.providerApiKey })}`,
    '',
    ...(adversarial === undefined
      ? []
      : [`  The provider is unkind: --adversarial ${adversarial}`, '']),
    '  Cards that work here (any name, any future expiry date, any three digits):',
    ...cards,
    '',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}

const PORT_VARIABLES: Readonly<Record<PortName, string>> = {
  shop: 'DEMO_SHOP_PORT',
  'session-server': 'DEMO_PAY_PORT',
  sandbox: 'DEMO_SANDBOX_PORT',
  console: 'DEMO_CONSOLE_PORT',
  operator: 'DEMO_OPERATOR_PORT',
  dashboard: 'DEMO_DASHBOARD_PORT',
  roastery: 'DEMO_ROASTERY_PORT',
};

/** Reads `DEMO_DATA_DIRECTORY` and the ports; a port that is none is named. */
function readStartOptions(
  env: Readonly<Record<string, string | undefined>>,
): Pick<StackOptions, 'dataDirectory' | 'ports'> {
  const readPort = (name: PortName): number => {
    const text = env[PORT_VARIABLES[name]];
    if (text === undefined || text === '') return DEFAULT_PORTS[name];
    if (isPort(text)) return Number(text);
    throw new Error(`${PORT_VARIABLES[name]} must be a port: a whole number from 0 to 65535.`);
  };
  const dataDirectory = env['DEMO_DATA_DIRECTORY'];
  return {
    ports: perPort(readPort),
    ...(dataDirectory && { dataDirectory }),
  };
}

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
