import type { HintKind } from '@pay-checkout/session-server/contract';
import { attempt, reportCause } from '../attempt.js';
import { coded, CodedError } from '../coded-error.js';
import { pause } from '../pause.js';
import type { SdkAdapter, SdkHandle } from './sdk-adapter.js';

/** The element whose light DOM holds the form, under the slot `form`. */
export interface FormHost extends HTMLElement {
  /** BCP 47 tag, when the page has one. */
  readonly language: string | undefined;
  /** Accessible name of the form. */
  readonly formLabel: string;
  /** Whether the SDK shows nothing where its form belongs. */
  isFormEmpty: boolean | undefined;
}

/** Twenty seconds, in which most forms are there. */
const MAX_LOOKS = 10;
const LOOK_INTERVAL_MS = 2000;
/** An SDK may draw after it has answered, and put one form in the place of another. */
const EMPTY_GRACE_MS = 1000;
let containerCount = 0;

/**
 * Has a loaded SDK mount its form in light DOM, where `document.getElementById` finds it, and unmounts
 * it when `signal` aborts. Reports what the SDK reports, and `shown` when the form is there. Rejects
 * with a {@link CodedError} when the SDK fails.
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
  // In a page that isolates itself (COOP and COEP) a frame of the SDK may stay blank: only the SDK knows.
  const isIsolated = attempt(() => crossOriginIsolated) === true;
  const mayBeBlocked = isIsolated && adapter.reportsShown;
  let handle: SdkHandle | void;
  const unmount = async (): Promise<void> => {
    form.remove();
    host.isFormEmpty = false;
    await handle?.destroy?.();
  };
  signal.addEventListener('abort', () => {
    unmount().catch(reportCause);
  });
  const shown = Promise.withResolvers<void>();
  const report = (kind: HintKind): void => {
    if (signal.aborted) return;
    if (kind === 'shown') shown.resolve();
    onReport(kind);
  };
  const isEmpty = (): boolean => !(form.contains(container) ? container : form).childElementCount;
  const look = async (): Promise<void> => {
    // An SDK that throws after it has drawn throws first.
    await pause(isEmpty() ? EMPTY_GRACE_MS : 0, signal);
    if (signal.aborted) return;
    host.isFormEmpty = isEmpty();
    if (adapter.drawsInside && !isEmpty() && !mayBeBlocked) shown.resolve();
  };
  const open = async (): Promise<void> => {
    const locale = host.language;
    handle = await adapter.open({ sessionId, container, locale, signal, report });
    if (signal.aborted) await unmount();
    void look();
    if (adapter.drawsInside) await shown.promise;
  };
  const giveUp = async (): Promise<void> => {
    // Looks from time to time, too: the page may have replaced what reports changes.
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      await pause(LOOK_INTERVAL_MS, signal);
      void look();
    }
    if (isEmpty()) throw new CodedError('sdk_timeout');
    if (mayBeBlocked) throw new CodedError('sdk_page_isolated');
  };
  // First, where the element hides it.
  host.prepend(form);
  // Nothing that a script added to Object.prototype is an option.
  const changes = { __proto__: null, childList: true, subtree: true } as MutationObserverInit;
  attempt(() => new MutationObserver(() => void look()).observe(form, changes));
  try {
    const opened = open();
    await Promise.race([shown.promise, opened, giveUp()]);
    report('shown');
    void look();
    await opened;
  } catch (error) {
    throw coded(error, 'sdk_configure_failed');
  }
}
