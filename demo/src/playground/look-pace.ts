/** When to look again: after a pause, at once when something happens, and no more when nothing does. */

const PAUSE_MS = 2000;
/** Ten minutes: whoever watches longer makes something happen. */
const MAX_PAUSES = 300;

export class LookPace {
  #pausesLeft = MAX_PAUSES;
  #wake: () => void = () => undefined;

  /** Something happened: the next look is now, and others follow. */
  lookNow(): void {
    this.#pausesLeft = MAX_PAUSES;
    this.#wake();
  }

  /** Resolves when it is time for the next look. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#pausesLeft -= 1;
      const timer = this.#pausesLeft < 0 ? undefined : setTimeout(resolve, PAUSE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
