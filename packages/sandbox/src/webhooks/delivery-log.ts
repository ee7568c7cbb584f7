import type { Delivery } from './webhook-sender.js';
import { maskText } from '../inspector/mask.js';
import { RecordBook, type Recorded } from '../inspector/record-book.js';
import type { RecordFile } from '../inspector/record-file.js';
import { makeMessage } from '../inspector/recorded-call.js';

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
