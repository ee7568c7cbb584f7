export { decompress } from './internal/decompress.js';
export { NodeTransport, type NodeTransportOptions } from './internal/node-transport.js';
export type { ProxyEnv } from './internal/proxy.js';
