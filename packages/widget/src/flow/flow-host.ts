import type { ReactiveControllerHost } from 'lit';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import type { Mode } from './modes.js';
import type { CreateSession } from './session-api.js';

/** What the flow needs of the element that it drives. */
export interface FlowHost extends ReactiveControllerHost, HTMLElement {
  merchant: string | null | undefined;
  order: string | null | undefined;
  orderToken: string | null | undefined;
  autostart: boolean;
  returnParam: string | null | undefined;
  createSession: CreateSession | undefined;
  adapter: SdkAdapter | undefined;
  mode: Mode | null | undefined;
  /** Address of the session server, without a slash at its end. */
  readonly serverUrl: string;
  /** BCP 47 tag, when the page says one. */
  readonly language: string | undefined;
  /** What assistive technology calls the provider's form. */
  readonly formLabel: string;
}
