/** The session server as a library: configuration, start, and what pages and shops see of it. */
export type * from './contract.js';
export { type Config, parseConfig, type Tuning, type TuningChanges } from './config.js';
export { AppError, ConfigError, type FieldError } from './errors.js';
export { Secret } from '@pay-checkout/partner-api';
export { checkOrderToken, type OrderTokenCheck, signOrderToken } from './orders/order-token.js';
export type { LogFields, Logger } from './logger.js';
export { type Logo, parseLogo } from './merchants/logo.js';
export type { AccountSettings, Merchant, ProviderAccount } from './merchants/merchant.js';
export type { MerchantSource } from './merchants/merchant-source.js';
export type { OrderLookup, ShopOrder } from './orders/order-lookup.js';
export { csp, type CspOptions, type PageCsp, TRUSTED_TYPES_POLICIES } from './security/csp.js';
export { type RunningServer, runSessionServer, startSessionServer } from './running-server.js';
export { createSessionServer, type SessionServer, type SessionServerOptions } from './server.js';
