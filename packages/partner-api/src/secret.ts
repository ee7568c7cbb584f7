const HIDDEN = '[secret]';

/**
 * A value that must not be seen: an API key, later a signing key.
 *
 * It stays hidden in `console.log`, `JSON.stringify`, template strings, `structuredClone` and error
 * reports; the only way to read it is {@link Secret.reveal}.
 *
 * @example
 * const apiKey = new Secret(process.env.PARTNER_API_KEY ?? '');
 * console.log(`${apiKey}`); // [secret]
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where the value is used, never where it is stored or printed. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.toPrimitive](): string {
    return HIDDEN;
  }

  /** What `util.inspect` and `console.log` of Node print; the symbol is registered, so no import. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
