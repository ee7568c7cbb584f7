import { pause } from './pause.js';

/** A window tells nobody that it was closed, so that somebody has to look. */
const LOOK_MS = 500;

/** The server's hosted page in a window of its own. */
export class HostedWindow {
  #window: Window | null | undefined;

  /** Whether the browser let it open, which it does in a click only. */
  open(url: string): boolean {
    this.#window = open(url, 'pay-checkout', 'popup,width=520,height=760');
    return Boolean(this.#window);
  }

  focus(): void {
    this.#window?.focus();
  }

  close(): void {
    this.#window?.close();
  }

  /** Resolves when there is no such window any more, or `signal` aborts. */
  async closed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#window?.closed) await pause(LOOK_MS, signal);
  }
}
