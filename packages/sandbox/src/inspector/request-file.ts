import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import type { RecordedCall } from './recorded-call.js';

/** A longer file is shortened to what the memory holds. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The calls in a file, one JSON object a line, so that they are still there after a restart. */
export class RequestFile {
  readonly #path: string;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The calls of the file, oldest first. A line that is torn or not ours is left out. */
  read(): RecordedCall[] {
    const file = openSync(this.#path, 'a+', 0o600);
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.alloc(Math.min(size, MAX_FILE_BYTES));
      readSync(file, tail, 0, tail.length, size - tail.length);
      this.#bytes = size;
      // Otherwise the next line would be written onto a torn one.
      if (size > 0 && tail.at(-1) !== 0x0a) this.#append('\n');
      return tail.toString('utf8').split('\n').flatMap(parseLine);
    } finally {
      closeSync(file);
    }
  }

  /** @param recorded all calls that are kept, for when the file has become too long */
  append(call: RecordedCall, recorded: () => Iterable<RecordedCall>): void {
    this.#append(`${JSON.stringify(call)}\n`);
    if (this.#bytes > MAX_FILE_BYTES) this.#replace(recorded());
  }

  clear(): void {
    this.#replace([]);
  }

  #append(line: string): void {
    appendFileSync(this.#path, line, { mode: 0o600 });
    this.#bytes += Buffer.byteLength(line);
  }

  /** By another file first: a crash leaves the one or the other. */
  #replace(calls: Iterable<RecordedCall>): void {
    const lines = [...calls].map((call) => `${JSON.stringify(call)}\n`).join('');
    writeFileSync(`${this.#path}.new`, lines, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    this.#bytes = Buffer.byteLength(lines);
  }
}

function parseLine(line: string): RecordedCall[] {
  try {
    const call = JSON.parse(line) as Partial<RecordedCall> | null;
    const isCall = typeof call?.number === 'number' && typeof call.request?.headers === 'object';
    return isCall ? [call as RecordedCall] : [];
  } catch {
    return [];
  }
}
