export * from './events/pay-back.js';
export * from './events/pay-cancel.js';
export * from './events/pay-declined.js';
export * from './events/pay-error.js';
export * from './events/pay-expired.js';
export * from './events/pay-failed.js';
export * from './events/pay-paid.js';
export * from './events/pay-ready.js';
export * from './events/pay-redirect.js';
export * from './events/pay-statechange.js';
export * from './events/pay-unconfirmed.js';
export type { OutcomePhase, Phase } from './flow/phases.js';
export type { CreateSession } from './flow/session-api.js';
export type { Settlement } from './flow/settlement.js';
export { PayCheckout, type Mode, type Theme } from './pay-checkout/pay-checkout.js';
export {
  SdkError,
  type SdkAdapter,
  type SdkHandle,
  type SdkOpenOptions,
} from './sdk/sdk-adapter.js';
