/** The processes behind `npm start` and behind the journey tests. */
export { DEFAULT_PORTS, startStack } from './stack/stack.js';
export type { ProcessName, Stack, StackAddresses, StackOptions } from './stack/stack.js';
