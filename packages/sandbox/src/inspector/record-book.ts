import type { RecordFile } from './record-file.js';
import type { Messages, RecordedMessage } from './recorded-call.js';

/** An entry with its headers and bodies. */
export type Recorded<Entry> = Entry & Messages;

const MAX_ENTRIES = 10_000;
/** Headers and bodies of older entries are dropped. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;

/** The latest entries, oldest first, and their headers and bodies: in memory, and in a file if there is one. */
export class RecordBook<Entry extends { readonly number: number }> {
  readonly #file: RecordFile<Recorded<Entry>> | undefined;
  #entries: Entry[] = [];
  /** By the number of the entry, oldest first. */
  readonly #messages = new Map<number, { readonly messages: Messages; readonly size: number }>();
  #keptCharacters = 0;
  #count = 0;

  constructor(file?: RecordFile<Recorded<Entry>>) {
    this.#file = file;
    for (const { request, response, ...entry } of file?.read() ?? []) {
      // What is left of a recorded entry without its messages.
      this.push(entry as unknown as Entry);
      this.#keep(entry.number, { request, ...(response && { response }) });
      this.#count = Math.max(this.#count, entry.number);
    }
  }

  /** Oldest first. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  nextNumber(): number {
    this.#count += 1;
    return this.#count;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#drop(this.#entries.shift()?.number);
  }

  /** Keeps the headers and bodies of an entry that is over. */
  finish(entry: Entry, messages: Messages): void {
    this.#keep(entry.number, messages);
    this.#file?.append({ ...entry, ...messages }, () => this.#recorded());
  }

  messagesOf(number: number): Messages | undefined {
    return this.#messages.get(number)?.messages;
  }

  find(number: number): (Entry & Partial<Messages>) | undefined {
    const entry = this.#entries.find((each) => each.number === number);
    return entry && { ...entry, ...this.messagesOf(number) };
  }

  clear(): void {
    this.#entries = [];
    this.#messages.clear();
    this.#keptCharacters = 0;
    this.#file?.clear();
  }

  #keep(number: number, messages: Messages): void {
    const size = sizeOf(messages.request) + sizeOf(messages.response);
    this.#messages.set(number, { messages, size });
    this.#keptCharacters += size;
    for (const oldest of this.#messages.keys()) {
      if (this.#keptCharacters <= MAX_KEPT_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  #drop(number: number | undefined): void {
    const dropped = number === undefined ? undefined : this.#messages.get(number);
    if (number === undefined || dropped === undefined) return;
    this.#messages.delete(number);
    this.#keptCharacters -= dropped.size;
  }

  /** What the file holds after it was shortened. */
  *#recorded(): Generator<Recorded<Entry>> {
    for (const entry of this.#entries) {
      const messages = this.messagesOf(entry.number);
      if (messages) yield { ...entry, ...messages };
    }
  }
}

function sizeOf(message: RecordedMessage | undefined): number {
  return message ? JSON.stringify(message.headers).length + (message.body?.length ?? 0) : 0;
}
