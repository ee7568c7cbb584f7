import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Asks for the addresses of a host name; the signal says that nobody waits for them any more. */
export type AskForAddresses = (name: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/** How long a name that could not be polled up is not asked for again. */
const FAILURE_MS = 3000;

/**
 * Looks host names up for sockets: each name once at a time, for everybody who waits for it, and not
 * again for a moment when that failed. So a name whose name servers do not answer costs one question
 * at a time, however many requests want it. A good answer is not kept: shops move.
 */
export class SharedLookup {
  readonly #ask: AskForAddresses;
  readonly #failureMs: number;
  readonly #answers = new Map<string, Promise<LookupAddress[]>>();
  readonly #closing = new AbortController();

  constructor(ask: AskForAddresses, failureMs = FAILURE_MS) {
    this.#ask = ask;
    this.#failureMs = failureMs;
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#find(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error as Error, []);
      },
    );
  };

  /** Ends the questions that are under way. */
  close(): void {
    this.#closing.abort();
  }

  #find(name: string): Promise<LookupAddress[]> {
    const asked = this.#answers.get(name);
    if (asked) return asked;
    const answer = this.#ask(name, this.#closing.signal);
    this.#answers.set(name, answer);
    const forget = (): void => void this.#answers.delete(name);
    answer.then(forget, () => {
      setTimeout(forget, this.#failureMs).unref();
    });
    return answer;
  }
}
