import type { Activity } from './inspector/activity.js';
import { RecordBook } from './inspector/record-book.js';
import type { RecordFile } from './inspector/record-file.js';
import type { Messages, RecordedCall } from './inspector/recorded-call.js';
import type { LoggedRequest } from './logged-request.js';

/** Which calls to list. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Text in the address, the ids, the headers or the bodies, in any case. */
  readonly search?: string | undefined;
  /** Only those before this number. */
  readonly before?: number | undefined;
  /** The newest ones. Default all. */
  readonly limit?: number | undefined;
}

/** The latest calls of the API, oldest first, in memory and in a file if there is one. */
export class RequestLog {
  readonly #activity: Activity;
  readonly #book: RecordBook<LoggedRequest>;

  constructor(activity: Activity, file?: RecordFile<RecordedCall>) {
    this.#activity = activity;
    this.#book = new RecordBook(file);
  }

  add(call: Omit<LoggedRequest, 'number' | 'state'>): LoggedRequest {
    const entry: LoggedRequest = { number: this.#book.nextNumber(), state: 'pending', ...call };
    this.#book.push(entry);
    this.#activity.announce({ type: 'request', data: entry });
    return entry;
  }

  /** The call has ended. */
  finish(entry: LoggedRequest, messages: Messages): void {
    if (this.#book.entries.lastIndexOf(entry) === -1) return;
    this.#book.finish(entry, messages);
    this.#activity.announce({ type: 'request', data: entry });
  }

  /** Oldest first. */
  list(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const { operation, sessionId, before = Infinity, limit = Infinity } = filter;
    const search = filter.search?.toLowerCase() ?? '';
    const { entries } = this.#book;
    const found: LoggedRequest[] = [];
    for (let index = entries.length - 1; index >= 0 && found.length < limit; index -= 1) {
      const entry = entries[index];
      if (entry === undefined || entry.number >= before) continue;
      if (operation !== undefined && entry.operation !== operation) continue;
      if (sessionId !== undefined && entry.sessionId !== sessionId) continue;
      if (search === '' || this.#textOf(entry).includes(search)) found.push(entry);
    }
    return found.reverse();
  }

  find(number: number): Partial<RecordedCall> | undefined {
    return this.#book.find(number);
  }

  /** How many calls each operation has. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operation } of this.#book.entries)
      counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  clear(): void {
    this.#book.clear();
  }

  #textOf(entry: LoggedRequest): string {
    const messages = this.#book.messagesOf(entry.number);
    return (JSON.stringify(entry) + (messages ? textOf(messages) : '')).toLowerCase();
  }
}

function textOf({ request, response }: Messages): string {
  return [request, response]
    .map((message) => message && `${JSON.stringify(message.headers)}\n${message.body ?? ''}`)
    .join('\n');
}
