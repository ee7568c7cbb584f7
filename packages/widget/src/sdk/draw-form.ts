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
  const { adapter, sessionId, locale, host, label, onReport } = options;
  const container = Object.assign(document.createElement('div'), {
    id: `pay-checkout-form-${++containers}`,
    slot: 'form',
    tabIndex: -1,
    role: 'group',
    ariaLabel: label,
  });
  host.append(container);
  let handle: SdkHandle | void;
  const takeDown = async (): Promise<void> => {
    container.remove();
    await handle?.destroy?.();
  };
  signal.addEventListener('abort', () => {
    takeDown().catch(() => undefined);
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
      handle = await adapter.open({ sessionId, container, locale, signal, report });
      if (signal.aborted) await takeDown();
      report('shown');
    };
    open().catch((error: unknown) => reject(coded(error, 'sdk_configure_failed')));
    void pause(DRAW_TIMEOUT_MS, signal).then(() => {
      if (container.childElementCount > 0) report('shown');
      else reject(new CodedError('sdk_timeout'));
    });
  });
}
