/**
 * One thing that goes on while the flow is in some state. Its key says which: the same key changes
 * nothing, another key aborts the old run and starts a new one, no key only aborts. So only the
 * newest run may write, if each run looks at its signal before it does.
 */
export class Effect {
  readonly #start: (signal: AbortSignal) => unknown;
  #key: string | false = false;
  #abort: AbortController | undefined;

  constructor(start: (signal: AbortSignal) => unknown) {
    this.#start = start;
  }

  run(key: string | false): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#abort?.abort();
    if (key === false) return;
    this.#abort = new AbortController();
    this.#start(this.#abort.signal);
  }
}
