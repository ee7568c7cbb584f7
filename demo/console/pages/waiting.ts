/** Says that something is going on, how long it takes, and offers to stop it. */

/** Shorter waits need no moving picture. */
const SHOW_AFTER_MS = 300;
const STOP_AFTER_MS = 1000;
const STILL_AFTER_MS = 5000;

export class Waiting {
  readonly #words = document.createElement('p');
  readonly #progress = document.createElement('progress');
  readonly #stop = document.createElement('button');
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(host: HTMLElement) {
    host.className = 'waiting';
    this.#words.setAttribute('role', 'status');
    this.#progress.hidden = true;
    // The words next to it say the same.
    this.#progress.setAttribute('aria-hidden', 'true');
    this.#stop.type = 'button';
    this.#stop.className = 'outline';
    this.#stop.textContent = 'Stop waiting';
    this.#stop.hidden = true;
    host.replaceChildren(this.#words, this.#progress, this.#stop);
  }

  /** @param stop - Gives up the answer, and then says or shows so. */
  start(words: string, stop: () => void): void {
    this.#stopTimers();
    this.#words.classList.remove('unseen');
    this.#words.textContent = words;
    this.#stop.onclick = stop;
    this.#timers = [
      setTimeout(() => (this.#progress.hidden = false), SHOW_AFTER_MS),
      setTimeout(() => (this.#stop.hidden = false), STOP_AFTER_MS),
      setTimeout(() => {
        this.#words.textContent = `${words} This is taking longer than usual.`;
      }, STILL_AFTER_MS),
    ];
  }

  /** Says the outcome; `screen-reader` when the page shows the same words in another place. */
  end(words: string, audience: 'everyone' | 'screen-reader' = 'everyone'): void {
    this.#stopTimers();
    this.#progress.hidden = true;
    this.#stop.hidden = true;
    this.#words.classList.toggle('unseen', audience === 'screen-reader');
    this.#words.textContent = words;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
