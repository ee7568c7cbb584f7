/** One line of what was measured. */
export interface Figures {
  readonly [name: string]: unknown;
  /** Whether a figure exceeds its limit. */
  readonly isMissed?: boolean;
}

/** The middle one of several measurements. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** By how much `values` grow from one to the next, by least squares. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let above = 0;
  let below = 0;
  for (const [at, value] of values.entries()) {
    above += (at - middle) * value;
    below += (at - middle) ** 2;
  }
  return above / below;
}
