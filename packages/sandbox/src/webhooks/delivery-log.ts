import type { FaultKind } from '../faults/fault-table.js';
import { maskText } from '../inspector/mask.js';
import { RecordBook, type Recorded } from '../inspector/record-book.js';
import type { RecordFile } from '../inspector/record-file.js';
import { makeMessage } from '../inspector/recorded-call.js';

/** What a webhook is about and where it goes. */
export interface WebhookSubject {
  /** Set when it is about the payment of a session. */
  readonly sessionId?: string | undefined;
  readonly orderId?: number | undefined;
  /** Name of the event. */
  readonly event: string;
  /** `webhook_id` of the registered endpoint; a `WebhookUrl` of spec 4.6 has none. */
  readonly endpointId?: string | undefined;
}

/** One attempt at a webhook. */
export interface Delivery extends WebhookSubject {
  /** Of all attempts, in their order. */
  readonly number: number;
  /** The same for every attempt of one webhook. */
  readonly webhook: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  /** Origin of the receiver. The path may hold a token, so it is not kept. */
  readonly to: string;
  /** HTTP status that the receiver answered. */
  readonly status?: number;
  /** Why there was no answer. */
  readonly error?: string;
  /** The fault that was played. */
  readonly fault?: FaultKind;
}

/** A try at a webhook with what was sent and answered. */
export type RecordedDelivery = Recorded<Delivery>;

/** What a try sends. */
export interface SentWebhook {
  readonly headers: Readonly<Record<string, string>>;
  /** Shown whole: a signature is no key, and holds for this body alone. */
  readonly signature: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The latest tries at webhooks, oldest first. */
export class DeliveryLog {
  readonly #secrets: () => readonly string[];
  readonly #book: RecordBook<Delivery>;

  /** @param secrets what no record may show */
  constructor(secrets: () => readonly string[] = () => [], file?: RecordFile<RecordedDelivery>) {
    this.#secrets = secrets;
    this.#book = new RecordBook(file);
  }

  /** @param answer undefined: none came */
  add(
    delivery: Omit<Delivery, 'number'>,
    sent: SentWebhook,
    answer?: { readonly headers: Readonly<Record<string, string>>; readonly text: string },
  ): Delivery {
    const known = this.#secrets();
    const entry: Delivery = { number: this.#book.nextNumber(), ...delivery };
    const request = toMessage(sent.headers, sent.body, known);
    const headers = { ...request.headers };
    for (const [name, value] of Object.entries(sent.signature)) {
      headers[name] = maskText(value, known);
    }
    this.#book.push(entry);
    this.#book.finish(entry, {
      request: { ...request, headers },
      ...(answer && { response: toMessage(answer.headers, answer.text, known) }),
    });
    return entry;
  }

  list(): readonly Delivery[] {
    return this.#book.entries;
  }

  /** A try with headers and bodies, while they are kept. */
  find(number: number): (Delivery & Partial<RecordedDelivery>) | undefined {
    return this.#book.find(number);
  }

  clear(): void {
    this.#book.clear();
  }
}

function toMessage(
  headers: Readonly<Record<string, string>>,
  text: string,
  known: readonly string[],
) {
  const body = Buffer.from(text);
  return makeMessage(headers, body, body.length, known);
}
