import { InvalidRequestError } from '../errors.js';
import type { Transaction } from './transaction.js';

/** Where an iteration stood. */
export interface IterationPosition {
  /** Cursor of the page to ask for; `undefined` for the first one. */
  readonly cursor: string | undefined;
  /** Nothing is left. */
  readonly ended: boolean;
  /** Ids of the rows around the seam that were given already. */
  readonly givenIds: readonly string[];
  /** Rows without an id at the start of that page that were given already. */
  readonly givenUnnamed: number;
}

interface Written {
  readonly version: 1;
  readonly filters: string;
  readonly cursor?: string;
  readonly ended?: true;
  readonly ids: readonly string[];
  readonly unnamed?: number;
}

/** Writes a position as text for another process. It holds ids, no other data and no secret. */
export function writeCheckpoint(position: IterationPosition, filters: string): string {
  const { cursor, ended, givenIds, givenUnnamed } = position;
  const written: Written = {
    version: 1,
    filters,
    ...(cursor === undefined ? {} : { cursor }),
    ...(ended ? { ended } : {}),
    ids: givenIds,
    ...(givenUnnamed === 0 ? {} : { unnamed: givenUnnamed }),
  };
  return JSON.stringify(written);
}

/** Reads a checkpoint, and refuses one that was made with other filters. */
export function readCheckpoint(
  text: unknown,
  filters: string,
  operation: string,
): IterationPosition {
  const refuse = (advice: string): never => {
    throw new InvalidRequestError('checkpoint', advice, operation);
  };
  const { version, ...rest } = parseObject(text) ?? refuse('is not what checkpoint() gave');
  if (typeof version === 'number' && version > 1) {
    return refuse('was made by a newer version of this package');
  }
  const { cursor, ended, ids, unnamed = 0 } = rest;
  if (version !== 1 || !isListOfText(ids) || !isTextOrNone(cursor) || !Number.isInteger(unnamed)) {
    return refuse('is not what checkpoint() gave');
  }
  if (rest['filters'] !== filters) {
    return refuse('was made with other filters or another address; give those, or start again');
  }
  return {
    cursor,
    ended: ended === true,
    givenIds: ids,
    givenUnnamed: unnamed as number,
  };
}

function parseObject(text: unknown): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(String(text)) as unknown;
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** A short hash (FNV-1a, 64 bits) of filters, against mistakes and not against attacks. */
export function hashFilters(filters: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(JSON.stringify(sorted))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  }
  return hash.toString(16).padStart(16, '0');
}

/**
 * The rows that were given before an iteration was resumed. Each is left out as often as it was
 * given, wherever it stands now: the list may have grown at its start in the meantime.
 */
export class GivenRows {
  readonly #counts = new Map<string, number>();
  #unnamed: number;

  constructor(ids: readonly string[], unnamed: number) {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#unnamed = unnamed;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#unnamed === 0;
  }

  /** Whether this row was given before; counts it as met. */
  take({ id }: Transaction): boolean {
    if (typeof id !== 'string') return this.#takeUnnamed();
    const count = this.#counts.get(id);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(id);
    else this.#counts.set(id, count - 1);
    return true;
  }

  /** Rows without an id are known by their place in the first page only. */
  forgetUnnamed(): void {
    this.#unnamed = 0;
  }

  ids(): string[] {
    return [...this.#counts].flatMap(([id, count]) => Array<string>(count).fill(id));
  }

  #takeUnnamed(): boolean {
    if (this.#unnamed === 0) return false;
    this.#unnamed -= 1;
    return true;
  }
}
