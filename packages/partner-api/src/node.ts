export { TransactionCsv, type TransactionCsvOptions } from './csv/transaction-csv.js';
export { decompress } from './internal/decompress.js';
export { NodeTransport, type NodeTransportOptions } from './internal/node-transport.js';
export { ACCEPTED_ENCODINGS, joinHeaders } from './internal/transport.js';
export type { ProxyEnv } from './internal/proxy.js';
