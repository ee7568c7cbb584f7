export { CodedError } from './coded-error.js';
export {
  CheckoutEvent,
  PayErrorEvent,
  PayMetricEvent,
  PayRedirectEvent,
  PayStateChangeEvent,
  type MetricName,
} from './events.js';
export type { Settlement } from './flow/flow-events.js';
export type { Labels } from './labels/en.js';
export type { LabelChanges } from './labels/load-labels.js';
export type { OutcomePhase, Phase } from './flow/phases.js';
export type { Mode, Presentation } from './flow/presentation.js';
export type { CreateSession } from './flow/session-api.js';
export { PayCheckout, type Theme } from './pay-checkout/pay-checkout.js';
export { configure } from './server-origin.js';
export type { SdkAdapter, SdkHandle, SdkOpenOptions } from './sdk/sdk-adapter.js';
