import type { Activity } from './inspector/activity.js';
import type { RecordedCall } from './inspector/recorded-call.js';
import type { RequestFile } from './inspector/request-file.js';

/** The operations of the provider's API (spec 4.1 to 4.8), in that order. */
export const OPERATIONS = [
  'transactions-list',
  'update-schedule',
  'merchant-association',
  'scheduled-transfers',
  'partner-analytics',
  'create-session',
  'create-webhook',
  'test-webhook',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** One call of the API: what a test needs to count, without keys, names or addresses. */
export interface LoggedRequest {
  readonly number: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  /** `unknown`: there is nothing at this address. */
  readonly operation: Operation | 'unknown';
  readonly method: string;
  readonly path: string;
  /** `held`: waits until faults are released. `dropped`: the connection ended without an answer. */
  state: 'pending' | 'held' | 'answered' | 'dropped';
  /** HTTP status of the answer. */
  status?: number;
  /** Until the end of the answer. */
  milliseconds?: number;
  orderId?: number;
  merchantId?: number;
  sessionId?: string;
  /** The fault that was played. */
  fault?: string;
  /** Whether the `api_key` header was sent (spec 5.2: not on the transfers read). */
  readonly sentKey: boolean;
  /** How the body was framed. A GET body must state its length. */
  readonly framing: 'none' | 'length' | 'chunked';
  /** `Content-Length`, when it was sent. */
  readonly bodyBytes?: number;
}

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

type Messages = Pick<RecordedCall, 'request' | 'response'>;

const MAX_ENTRIES = 10_000;
/** Headers and bodies of older calls are dropped. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;

/** The latest calls of the API, oldest first, in memory and in a file if there is one. */
export class RequestLog {
  readonly #activity: Activity;
  readonly #file: RequestFile | undefined;
  #entries: LoggedRequest[] = [];
  /** By the number of the call, oldest first. */
  #messages = new Map<number, { readonly messages: Messages; readonly size: number }>();
  #keptCharacters = 0;
  #count = 0;

  constructor(activity: Activity, file?: RequestFile) {
    this.#activity = activity;
    this.#file = file;
    for (const { request, response, ...entry } of file?.read() ?? []) {
      this.#push(entry);
      this.#keep(entry.number, { request, ...(response && { response }) });
      this.#count = Math.max(this.#count, entry.number);
    }
  }

  add(call: Omit<LoggedRequest, 'number' | 'state'>): LoggedRequest {
    this.#count += 1;
    const entry: LoggedRequest = { number: this.#count, state: 'pending', ...call };
    this.#push(entry);
    this.#activity.announce({ type: 'request', data: entry });
    return entry;
  }

  /** The call has ended. */
  finish(entry: LoggedRequest, messages: Messages): void {
    if (this.#entries.lastIndexOf(entry) === -1) return;
    this.#keep(entry.number, messages);
    this.#file?.append({ ...entry, ...messages }, () => this.#recorded());
    this.#activity.announce({ type: 'request', data: entry });
  }

  /** Oldest first. */
  list(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const { operation, sessionId, before = Infinity, limit = Infinity } = filter;
    const search = filter.search?.toLowerCase() ?? '';
    const found: LoggedRequest[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && found.length < limit; index -= 1) {
      const entry = this.#entries[index];
      if (entry === undefined || entry.number >= before) continue;
      if (operation !== undefined && entry.operation !== operation) continue;
      if (sessionId !== undefined && entry.sessionId !== sessionId) continue;
      if (search === '' || this.#textOf(entry).includes(search)) found.push(entry);
    }
    return found.reverse();
  }

  find(number: number): Partial<RecordedCall> | undefined {
    const entry = this.#entries.find((each) => each.number === number);
    return entry && { ...entry, ...this.#messages.get(number)?.messages };
  }

  /** How many calls each operation has. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operation } of this.#entries) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  clear(): void {
    this.#entries = [];
    this.#messages.clear();
    this.#keptCharacters = 0;
    this.#file?.clear();
  }

  #push(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#drop(this.#entries.shift()?.number);
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

  #textOf(entry: LoggedRequest): string {
    const messages = this.#messages.get(entry.number)?.messages;
    return (JSON.stringify(entry) + (messages ? textOf(messages) : '')).toLowerCase();
  }

  /** What the file holds after it was shortened. */
  *#recorded(): Generator<RecordedCall> {
    for (const entry of this.#entries) {
      const kept = this.#messages.get(entry.number);
      if (kept && entry.state !== 'pending' && entry.state !== 'held')
        yield { ...entry, ...kept.messages };
    }
  }
}

function textOf({ request, response }: Messages): string {
  return [request, response]
    .map((message) => message && `${JSON.stringify(message.headers)}\n${message.body ?? ''}`)
    .join('\n');
}

function sizeOf(message: RecordedCall['response']): number {
  return message ? JSON.stringify(message.headers).length + (message.body?.length ?? 0) : 0;
}
