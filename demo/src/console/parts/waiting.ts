/** Says that something is going on, and what came of it: for the eyes and, once each, for the ears. */

/** Shorter waits need no moving picture. */
const SHOW_AFTER_MS = 300;
const STILL_AFTER_MS = 5000;

export class Waiting {
  readonly #words = document.createElement('p');
  readonly #progress = document.createElement('progress');
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(host: HTMLElement) {
    host.className = 'waiting';
    this.#words.setAttribute('role', 'status');
    this.#progress.hidden = true;
    // The words beside it say the same.
    this.#progress.setAttribute('aria-hidden', 'true');
    host.replaceChildren(this.#words, this.#progress);
  }

  start(words: string): void {
    this.#stopTimers();
    this.#words.classList.remove('unseen');
    this.#words.textContent = words;
    this.#timers = [
      setTimeout(() => (this.#progress.hidden = false), SHOW_AFTER_MS),
      setTimeout(() => {
        this.#words.textContent = `${words} It takes longer than usual; nothing is lost yet.`;
      }, STILL_AFTER_MS),
    ];
  }

  /** Says what came of it; `heard` when the eyes find the same words elsewhere. */
  end(words: string, audience: 'everybody' | 'heard' = 'everybody'): void {
    this.#stopTimers();
    this.#progress.hidden = true;
    this.#words.classList.toggle('unseen', audience === 'heard');
    this.#words.textContent = words;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
