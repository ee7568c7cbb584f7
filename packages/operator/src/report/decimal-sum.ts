/** Adds decimal texts exactly, however many places each has. */
export class DecimalSum {
  #units = 0n;
  #places = 0;

  /** @throws {RangeError} for what is not plain decimal text */
  add(text: string): void {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
    if (sign === undefined) throw new RangeError('expected plain decimal text');
    const places = Math.max(this.#places, fraction.length);
    const units = BigInt(whole + fraction.padEnd(places, '0'));
    this.#units =
      this.#units * 10n ** BigInt(places - this.#places) + (sign === '-' ? -units : units);
    this.#places = places;
  }

  /** With as many places as the longest text that was added. */
  toString(): string {
    const sign = this.#units < 0n ? '-' : '';
    const digits = String(this.#units < 0n ? -this.#units : this.#units);
    if (this.#places === 0) return sign + digits;
    const padded = digits.padStart(this.#places + 1, '0');
    return `${sign}${padded.slice(0, -this.#places)}.${padded.slice(-this.#places)}`;
  }
}
