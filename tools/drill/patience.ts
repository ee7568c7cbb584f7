/** A deadline that begins again at each start of the server: a slow machine starts slowly. */
export class Patience {
  readonly #seconds: number;
  readonly #over = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(seconds: number) {
    this.#seconds = seconds;
    this.renew();
  }

  renew(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      const seconds = String(this.#seconds);
      this.#over.reject(new Error(`the end did not come within ${seconds} s of the last start`));
    }, this.#seconds * 1000);
  }

  /** Rejects when the promise takes longer. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    try {
      return await Promise.race([promise, this.#over.promise]);
    } finally {
      this.#isOver = true;
      clearTimeout(this.#timer);
    }
  }
}
