export { NodeTransport, type NodeTransportOptions } from './internal/node-transport.js';
