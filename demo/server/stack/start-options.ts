/** What a person may set for `npm start`: where the data are kept, and the wanted ports. */
import { DEFAULT_PORTS, type StackOptions } from './stack.js';
import type { ProcessName } from './stack-settings.js';

const PORT_VARIABLES: Readonly<Record<ProcessName, string>> = {
  shop: 'DEMO_SHOP_PORT',
  'session-server': 'DEMO_PAY_PORT',
  sandbox: 'DEMO_SANDBOX_PORT',
  console: 'DEMO_CONSOLE_PORT',
};

/** Reads `DEMO_DATA_DIRECTORY` and the four ports; a port that is none is named. */
export function readStartOptions(
  env: Readonly<Record<string, string | undefined>>,
): Pick<StackOptions, 'dataDirectory' | 'ports'> {
  const readPort = (name: ProcessName): number => {
    const text = env[PORT_VARIABLES[name]];
    if (text === undefined || text === '') return DEFAULT_PORTS[name];
    if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
    throw new Error(`${PORT_VARIABLES[name]} must be a port: a whole number from 0 to 65535.`);
  };
  const dataDirectory = env['DEMO_DATA_DIRECTORY'];
  return {
    ports: {
      shop: readPort('shop'),
      'session-server': readPort('session-server'),
      sandbox: readPort('sandbox'),
      console: readPort('console'),
    },
    ...(dataDirectory && { dataDirectory }),
  };
}
