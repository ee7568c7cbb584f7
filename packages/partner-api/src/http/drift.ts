/**
 * How closely answers are compared with the provider's document: not at all; counted for the drift
 * report; or a field of another type is an error. Fields that the document does not list are never
 * an error.
 */
export type Validation = 'off' | 'warn' | 'strict';

/** Where answers of one operation differ from the document. Names and kinds, never values. */
export interface OperationDrift {
  /** Answers that were compared. */
  readonly answers: number;
  /** How often a field came that the document does not list: `data.transactions[].colour`. */
  readonly unknownFields: Readonly<Record<string, number>>;
  /** How often another type came: `data.transactions[].amount: text instead of number`. */
  readonly unexpectedTypes: Readonly<Record<string, number>>;
}

/** What a client has seen so far, by operation; only those that differ somewhere. */
export type DriftReport = Readonly<Record<string, OperationDrift>>;

/** Takes what the checks of an answer find. */
export interface DriftSink {
  unknownField: (path: string, name: string) => void;
  unexpectedType: (path: string, expected: string, value: unknown) => void;
}

/** Different places that are counted one by one; the rest is counted together. */
const MAX_PLACES = 200;
const OTHERS = '(others)';

/** Counts the differences of one client. */
export class DriftLog {
  readonly #operations = new Map<string, OperationLog>();

  /** The counters of an operation, for one more answer. */
  startAnswer(operation: string): OperationLog {
    let log = this.#operations.get(operation);
    if (log === undefined) this.#operations.set(operation, (log = new OperationLog()));
    log.answers += 1;
    return log;
  }

  report(): DriftReport {
    const found = [...this.#operations].filter(([, log]) => log.differs());
    return Object.fromEntries(found.map(([name, log]) => [name, log.report()]));
  }
}

/** The counters of one operation. */
export class OperationLog implements DriftSink {
  answers = 0;
  readonly #unknownFields = new Map<string, number>();
  readonly #unexpectedTypes = new Map<string, number>();

  unknownField(path: string, name: string): void {
    // A name that no programmer would choose may be data, such as an address used as a key.
    const shown = /^[A-Za-z_][\w.-]{0,63}$/.test(name) ? name : '(odd name)';
    count(this.#unknownFields, `${path}.${shown}`);
  }

  unexpectedType(path: string, expected: string, value: unknown): void {
    count(this.#unexpectedTypes, `${path}: ${kindOf(value)} instead of ${expected}`);
  }

  differs(): boolean {
    return this.#unknownFields.size + this.#unexpectedTypes.size > 0;
  }

  report(): OperationDrift {
    return {
      answers: this.answers,
      unknownFields: Object.fromEntries(this.#unknownFields),
      unexpectedTypes: Object.fromEntries(this.#unexpectedTypes),
    };
  }
}

function count(places: Map<string, number>, at: string): void {
  // Paths of the generated checks begin at the answer itself: `.data.timezone`.
  const place = at.replace(/^\./, '');
  const key = places.has(place) || places.size < MAX_PLACES ? place : OTHERS;
  places.set(key, (places.get(key) ?? 0) + 1);
}

/** The kind of a JSON value, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'whole number' : 'number';
  return typeof value;
}
