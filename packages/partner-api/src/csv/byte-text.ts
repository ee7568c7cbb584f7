const FIRST_BYTES = 256 * 1024;

const COMMA = 0x2c;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const POINT = 0x2e;
const ZERO = 0x30;

/** Amounts below this have at most 15 digits in cents, and their cents are a 32-bit integer. */
const MAX_QUICK_AMOUNT = 2e7;

/** What the letters of ASCII are to a reader of CSV: 1 for those that make quotes necessary. */
const NEEDS_QUOTES = new Uint8Array(128);
for (const letter of '",\r\n') NEEDS_QUOTES[letter.charCodeAt(0)] = 1;

/**
 * Text as UTF-8 in one buffer that is used again. Millions of short texts cost a fraction of what
 * they would as strings that are joined and then encoded.
 */
export class ByteText {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** What was written since the last {@link clear}; it changes when writing goes on. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Any text. */
  write(text: string): void {
    this.#makeRoom(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  comma(): void {
    this.#makeRoom(1);
    this.#buffer[this.#length] = COMMA;
    this.#length += 1;
  }

  endLine(): void {
    this.#makeRoom(2);
    this.#buffer[this.#length] = CARRIAGE_RETURN;
    this.#buffer[this.#length + 1] = LINE_FEED;
    this.#length += 2;
  }

  /**
   * A text that stands in CSV as it is. `false`, and nothing is written, when it needs quotes or has
   * letters beyond U+07FF, which are left to {@link write}.
   */
  writePlain(text: string): boolean {
    this.#makeRoom(text.length * 2);
    const buffer = this.#buffer;
    let end = this.#length;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 0x80) {
        if (NEEDS_QUOTES[code] === 1) return false;
        buffer[end++] = code;
      } else if (code < 0x800) {
        buffer[end++] = 0xc0 | (code >> 6);
        buffer[end++] = 0x80 | (code & 0x3f);
      } else return false;
    }
    this.#length = end;
    return true;
  }

  /**
   * The text that JavaScript gives to a number; `false`, and nothing is written, when it has an
   * exponent or is no number. Amounts with at most two decimals, which most are,
   * do not go through its search for the shortest text: a decimal of at most 15 digits that reads
   * back as this number is the only one.
   */
  writeNumber(value: number): boolean {
    if (value >= 0 && value < MAX_QUICK_AMOUNT) {
      const cents = Math.round(value * 100);
      if (cents / 100 === value) {
        this.#writeCents(cents);
        return true;
      }
    }
    const text = String(value);
    if (!Number.isFinite(value) || text.includes('e')) return false;
    this.write(text);
    return true;
  }

  #writeCents(cents: number): void {
    const whole = (cents / 100) | 0;
    const rest = cents - whole * 100;
    this.#writeDigits(whole);
    if (rest === 0) return;
    const tenths = (rest / 10) | 0;
    const hundredths = rest - tenths * 10;
    this.#makeRoom(3);
    const buffer = this.#buffer;
    buffer[this.#length++] = POINT;
    buffer[this.#length++] = ZERO + tenths;
    if (hundredths !== 0) buffer[this.#length++] = ZERO + hundredths;
  }

  #writeDigits(whole: number): void {
    let digits = 1;
    for (let limit = 10; whole >= limit; limit *= 10) digits += 1;
    this.#makeRoom(digits);
    const buffer = this.#buffer;
    let at = this.#length + digits;
    this.#length = at;
    for (let left = whole; at > this.#length - digits;) {
      const tens = (left / 10) | 0;
      buffer[--at] = ZERO + left - tens * 10;
      left = tens;
    }
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
