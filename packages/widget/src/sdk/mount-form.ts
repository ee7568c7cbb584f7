import type { HintKind } from '@pay-checkout/session-server/contract';
import { coded, CodedError } from '../coded-error.js';
import { pause } from '../pause.js';
import type { SdkAdapter, SdkHandle } from './sdk-adapter.js';

/** The element whose light DOM holds the form, under the slot `form`. */
export interface FormHost extends HTMLElement {
  /** BCP 47 tag, when the page has one. */
  readonly language: string | undefined;
  /** Accessible name of the form. */
  readonly formLabel: string;
}

const MOUNT_TIMEOUT_MS = 20_000;
let containerCount = 0;

/**
 * Has a loaded SDK mount its form in light DOM, where `document.getElementById` finds it, and unmounts
 * it when `signal` aborts. Reports what the SDK reports, and `shown` when the form is there. Rejects
 * with a {@link CodedError} when no form can be shown.
 */
export async function mountForm(
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
  // In a child: some SDKs replace their container, or remove it when they are done.
  const container = Object.assign(document.createElement('div'), {
    id: `pay-checkout-form-${++containerCount}`,
  });
  form.append(container);
  let handle: SdkHandle | void;
  const unmount = async (): Promise<void> => {
    form.remove();
    await handle?.destroy?.();
  };
  signal.addEventListener('abort', () => {
    unmount().catch(() => undefined);
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
    if (signal.aborted) await unmount();
  };
  const giveUp = async (): Promise<void> => {
    await pause(MOUNT_TIMEOUT_MS, signal);
    if (form.contains(container) && !container.childElementCount) {
      throw new CodedError('sdk_timeout');
    }
  };
  host.append(form);
  try {
    await Promise.race([shown.promise, open(), giveUp()]);
  } catch (error) {
    throw coded(error, 'sdk_configure_failed');
  }
  report('shown');
}
