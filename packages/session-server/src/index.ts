/** The session server as a library: configuration, start, and what pages and shops see of it. */
export type * from './contract.js';
export { type Config, parseConfig } from './config.js';
export { AppError, ConfigError, type FieldError } from './errors.js';
export { judgeOrderToken, type OrderTokenVerdict, signOrderToken } from './orders/order-token.js';
export { type SessionServer, startSessionServer } from './session-server.js';
