import { setTimeout as pause } from 'node:timers/promises';
import type { VirtualClock } from '../clock.js';
import { inventId } from '../resources/transaction-row.js';
import { postWebhook, type PostOutcome } from './post-webhook.js';
import { signDelivery, type WebhookSigning } from './webhook-signing.js';

/** Whom a webhook is for, and about what. */
export interface WebhookSubject {
  /** Set when it is about the payment of a session. */
  readonly sessionId?: string;
  readonly orderId?: number;
  /** `webhook_id` of the registered endpoint; a `WebhookUrl` of spec 4.6 has none. */
  readonly endpointId?: string;
}

/** One attempt to deliver a webhook. */
export interface Delivery extends WebhookSubject {
  /** The same for every attempt of one webhook. */
  readonly webhook: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  /** Origin of the receiver; the path may hold a token and is not kept. */
  readonly to: string;
  /** HTTP status that the receiver answered. */
  readonly status?: number;
  /** Why there was no answer. */
  readonly error?: string;
}

/** What to deliver, and where. */
export interface Webhook extends WebhookSubject {
  readonly url: string;
  readonly payload: unknown;
  /** Signs the delivery, when there is a signing scheme. */
  readonly hmacKey?: string;
}

const MAXIMUM_LOG = 10_000;

/** Posts webhooks and tries again until one is answered with 2xx. */
export class WebhookSender {
  readonly #clock: VirtualClock;
  readonly #pausesSeconds: readonly number[];
  readonly #timeoutSeconds: number;
  readonly #closing = new AbortController();
  #log: Delivery[] = [];

  /** How deliveries with a key are signed. Default not at all: the spec does not show it. */
  signing: WebhookSigning | undefined;

  constructor(options: {
    clock: VirtualClock;
    pausesSeconds: readonly number[];
    timeoutSeconds: number;
    signing?: WebhookSigning | undefined;
  }) {
    this.#clock = options.clock;
    this.#pausesSeconds = options.pausesSeconds;
    this.#timeoutSeconds = options.timeoutSeconds;
    this.signing = options.signing;
  }

  /** Starts the delivery and comes back at once. */
  send(webhook: Webhook): void {
    void this.#deliver(webhook, inventId('whk'));
  }

  /** Delivers once and waits for the outcome, as the webhook test of spec 4.8 does. */
  async sendOnce(webhook: Webhook): Promise<PostOutcome> {
    const id = inventId('whk');
    const outcome = await this.#post(webhook, id);
    this.#note(webhook, id, 1, outcome);
    return outcome;
  }

  /** Every attempt, oldest first. */
  deliveries(): readonly Delivery[] {
    return this.#log;
  }

  clear(): void {
    this.#log = [];
  }

  /** Gives up everything under way. */
  close(): void {
    this.#closing.abort();
  }

  async #deliver(webhook: Webhook, id: string): Promise<void> {
    for (let attempt = 1; !this.#closing.signal.aborted; attempt += 1) {
      const outcome = await this.#post(webhook, id);
      if (this.#closing.signal.aborted) return;
      this.#note(webhook, id, attempt, outcome);
      if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) return;
      const seconds = this.#pausesSeconds[attempt - 1];
      if (seconds === undefined) return;
      await this.#pause(seconds);
    }
  }

  #post({ url, payload, hmacKey }: Webhook, id: string): Promise<PostOutcome> {
    const body = JSON.stringify(payload);
    const headers =
      this.signing === undefined || hmacKey === undefined
        ? {}
        : signDelivery(this.signing, hmacKey, { id, url, body, time: this.#clock.now() });
    return postWebhook(url, body, {
      headers,
      timeoutSeconds: this.#timeoutSeconds,
      signal: this.#closing.signal,
    });
  }

  #note(webhook: Webhook, id: string, attempt: number, outcome: PostOutcome): void {
    const { sessionId, orderId, endpointId, url } = webhook;
    this.#log.push({
      webhook: id,
      attempt,
      at: this.#clock.nowText(),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(orderId === undefined ? {} : { orderId }),
      ...(endpointId === undefined ? {} : { endpointId }),
      to: new URL(url).origin,
      ...('status' in outcome ? { status: outcome.status } : { error: outcome.error }),
    });
    if (this.#log.length > MAXIMUM_LOG) this.#log.shift();
  }

  async #pause(seconds: number): Promise<void> {
    try {
      await pause(seconds * 1000, undefined, { signal: this.#closing.signal, ref: false });
    } catch {
      // Closed in the middle of the pause: the loop sees it.
    }
  }
}
