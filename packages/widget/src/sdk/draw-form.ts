import type { HintKind } from '@pay-checkout/session-server/contract';
import { coded, CodedError } from '../coded-error.js';
import { pause } from '../flow/pause.js';
import type { SdkAdapter, SdkHandle } from './sdk-adapter.js';

/** What is drawn, where, and whom it tells. */
export interface DrawOptions {
  readonly adapter: SdkAdapter;
  readonly sessionId: string;
  readonly locale: string | undefined;
  /** The element whose light DOM the form lives in, under the slot `form`. */
  readonly host: HTMLElement;
  readonly label: string;
  /** What the SDK tells; `shown` comes once. */
  readonly onReport: (kind: HintKind) => void;
}

const DRAW_TIMEOUT_MS = 20_000;
let containers = 0;

/**
 * Has an SDK draw its form in light DOM, where `document.getElementById` finds it, and takes it down
 * when `signal` aborts. Rejects with an {@link CodedError} when no form can be shown.
 */
export async function drawForm(options: DrawOptions, signal: AbortSignal): Promise<void> {
  const { adapter, sessionId, locale, onReport } = options;
  const container = addContainer(options);
  let handle: SdkHandle | void;
  signal.addEventListener('abort', () => {
    container.remove();
    release(handle);
  });

  try {
    await adapter.load(signal);
  } catch (error) {
    throw coded(error, 'sdk_load_failed');
  }
  await new Promise<void>((resolve, reject) => {
    let isShown = false;
    const report = (kind: HintKind): void => {
      if (signal.aborted || (kind === 'shown' && isShown)) return;
      if (kind === 'shown') {
        isShown = true;
        resolve();
      }
      onReport(kind);
    };
    const open = async (): Promise<void> => {
      try {
        handle = await adapter.open({ sessionId, container, locale, signal, report });
        if (signal.aborted) release(handle);
        report('shown');
      } catch (error) {
        reject(coded(error, 'sdk_configure_failed'));
      }
    };
    void open();
    void pause(DRAW_TIMEOUT_MS, signal).then(() => {
      if (container.childElementCount > 0) report('shown');
      else reject(new CodedError('sdk_timeout'));
    });
  });
}

function addContainer({ host, label }: DrawOptions): HTMLElement {
  const container = document.createElement('div');
  container.id = `pay-checkout-form-${++containers}`;
  container.slot = 'form';
  container.tabIndex = -1;
  container.role = 'group';
  container.ariaLabel = label;
  host.append(container);
  return container;
}

function release(handle: SdkHandle | void): void {
  try {
    handle?.destroy?.();
  } catch {
    return;
  }
}
