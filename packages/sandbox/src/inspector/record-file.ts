import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import type { RecordedMessage } from './recorded-call.js';

/** A longer file is shortened to what the memory holds. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface Entry {
  readonly number: number;
  readonly request: RecordedMessage;
}

/** Calls or webhooks in a file, one JSON object a line, so that they are still there after a restart. */
export class RecordFile<Each extends Entry> {
  readonly #path: string;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** What the file has, oldest first. A line that is torn or not ours is left out. */
  read(): Each[] {
    const file = openSync(this.#path, 'a+', 0o600);
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.alloc(Math.min(size, MAX_FILE_BYTES));
      readSync(file, tail, 0, tail.length, size - tail.length);
      this.#bytes = size;
      // Otherwise the next line would be written onto a torn one.
      if (size > 0 && tail.at(-1) !== 0x0a) this.#append('\n');
      return tail
        .toString('utf8')
        .split('\n')
        .flatMap(parseLine<Each>);
    } finally {
      closeSync(file);
    }
  }

  /** @param recorded all that is kept, for when the file has become too long */
  append(entry: Each, recorded: () => Iterable<Each>): void {
    this.#append(`${JSON.stringify(entry)}\n`);
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
  #replace(entries: Iterable<Each>): void {
    const lines = [...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');
    writeFileSync(`${this.#path}.new`, lines, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    this.#bytes = Buffer.byteLength(lines);
  }
}

function parseLine<Each extends Entry>(line: string): Each[] {
  try {
    const entry = JSON.parse(line) as Partial<Each> | null;
    const isEntry = typeof entry?.number === 'number' && typeof entry.request?.headers === 'object';
    return isEntry ? [entry as Each] : [];
  } catch {
    return [];
  }
}
