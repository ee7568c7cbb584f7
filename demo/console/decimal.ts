/** Sums of decimal texts, exactly: no amount of money becomes a binary number. */

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

interface Scaled {
  readonly units: bigint;
  /** Digits after the point. */
  readonly scale: number;
}

/** Whether a text is a decimal such as `12.34`. */
export function isDecimal(text: string | undefined): text is string {
  return text !== undefined && DECIMAL.test(text);
}

/** The sum, with as many digits after the point as the longest term has. */
export function addDecimals(texts: Iterable<string>): string {
  let sum: Scaled = { units: 0n, scale: 0 };
  for (const text of texts) {
    const term = read(text);
    const scale = Math.max(sum.scale, term.scale);
    sum = { units: toScale(sum, scale) + toScale(term, scale), scale };
  }
  return write(sum);
}

export function subtractDecimals(from: string, text: string): string {
  return addDecimals([from, text.startsWith('-') ? text.slice(1) : `-${text}`]);
}

/** `percent` of an amount, with every digit. */
export function percentOf(amount: string, percent: string): string {
  const [one, other] = [read(amount), read(percent)];
  const product = { units: one.units * other.units, scale: one.scale + other.scale + 2 };
  return write(product).replace(/(\.\d*?)0+$/, (_zeros, kept: string) =>
    kept === '.' ? '' : kept,
  );
}

/** Below 0, 0 or above: the order of two decimals. */
export function compareDecimals(one: string, other: string): number {
  const difference = read(subtractDecimals(one, other)).units;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** How many digits stand after the point. */
export function countFractionDigits(text: string): number {
  return read(text).scale;
}

function read(text: string): Scaled {
  if (!isDecimal(text)) throw new RangeError('This text is not a decimal.');
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

function toScale({ units, scale }: Scaled, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

function write({ units, scale }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return units < 0n ? `-${text}` : text;
}
