import type { HintKind } from '@pay-checkout/session-server/contract';
import { coded, CodedError } from '../coded-error.js';
import { pause } from '../flow/pause.js';
import type { SdkAdapter, SdkHandle } from './sdk-adapter.js';

/** The element whose light DOM a form lives in, under the slot `form`. */
export interface FormHost extends HTMLElement {
  /** BCP 47 tag, when the page says one. */
  readonly language: string | undefined;
  /** What assistive technology calls the provider's form. */
  readonly formLabel: string;
}

const DRAW_TIMEOUT_MS = 20_000;
let containers = 0;

/**
 * Has an SDK that is loaded draw its form in light DOM, where `document.getElementById` finds it, and takes it down
 * when `signal` aborts. Reports what the SDK tells, and `shown` when it is drawn. Rejects with a
 * {@link CodedError} when no form can be shown.
 */
export async function drawForm(
  adapter: SdkAdapter,
  sessionId: string,
  host: FormHost,
  onReport: (kind: HintKind) => void,
  signal: AbortSignal,
): Promise<void> {
  const form = Object.assign(document.createElement('div'), {
    slot: 'form',
    tabIndex: -1,
    role: 'group',
    ariaLabel: host.formLabel,
  });
  // A child of its own: some SDKs put their form in its place, or take it away when they are done.
  const container = Object.assign(document.createElement('div'), {
    id: `pay-checkout-form-${++containers}`,
  });
  form.append(container);
  let handle: SdkHandle | void;
  const takeDown = async (): Promise<void> => {
    form.remove();
    await handle?.destroy?.();
  };
  signal.addEventListener('abort', () => {
    takeDown().catch(() => undefined);
  });
  const shown = Promise.withResolvers<void>();
  const report = (kind: HintKind): void => {
    if (signal.aborted) return;
    if (kind === 'shown') shown.resolve();
    onReport(kind);
  };
  const open = async (): Promise<void> => {
    const locale = host.language;
    handle = await adapter.open({ sessionId, container, locale, signal, report });
    if (signal.aborted) await takeDown();
  };
  const giveUp = async (): Promise<void> => {
    await pause(DRAW_TIMEOUT_MS, signal);
    if (form.contains(container) && !container.childElementCount) {
      throw new CodedError('sdk_timeout');
    }
  };
  // Only now: a page is laid out once for the container and what is drawn in it.
  host.append(form);
  try {
    await Promise.race([shown.promise, open(), giveUp()]);
  } catch (error) {
    throw coded(error, 'sdk_configure_failed');
  }
  report('shown');
}
