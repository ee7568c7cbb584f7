import { createHash, randomBytes } from 'node:crypto';

/** Invents identifiers and keys: random ones, or with a seed the same ones in the same order. */
export class Inventor {
  #seed: string | undefined;
  #count = 0;

  constructor(seed?: string) {
    this.#seed = seed;
  }

  /** Starts over, perhaps with another seed. */
  reset(seed: string | undefined = this.#seed): void {
    this.#seed = seed;
    this.#count = 0;
  }

  /** An identifier: the prefix and 64 bits. */
  id(prefix: string): string {
    return `${prefix}_${this.bytes(8).toString('hex')}`;
  }

  /** At most 64 bytes. */
  bytes(size: number): Buffer {
    if (this.#seed === undefined) return randomBytes(size);
    this.#count += 1;
    return createHash('sha512').update(`${this.#seed} ${this.#count}`).digest().subarray(0, size);
  }
}

/** Numbers that look random and depend only on seed, row and purpose. */
export class SeededRandom {
  readonly #seed: number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193);
    this.#seed = mix(hash);
  }

  /** 32 bits for one purpose of one row. */
  bits(row: number, purpose: number): number {
    return mix(mix(row ^ this.#seed) + Math.imul(purpose, 0x9e3779b1));
  }

  /** An integer from 0 to `size` − 1. */
  below(size: number, row: number, purpose: number): number {
    return Math.floor((this.bits(row, purpose) / 0x1_0000_0000) * size);
  }

  /** One of the values. */
  pick<Value>(values: readonly Value[], row: number, purpose: number): Value {
    const value = values[this.below(values.length, row, purpose)];
    if (value === undefined) throw new TypeError('There is no value to pick.');
    return value;
  }

  /** Eight hex digits. */
  hex(row: number, purpose: number): string {
    return this.bits(row, purpose).toString(16).padStart(8, '0');
  }
}

/** Spreads 32 bits over 32 bits, so that neighbours share nothing (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
