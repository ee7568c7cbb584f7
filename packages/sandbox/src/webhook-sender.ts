import { setTimeout as pause } from 'node:timers/promises';
import type { VirtualClock } from './clock.js';
import { inventId } from './resources/transaction-row.js';

/** One attempt to deliver a webhook. */
export interface Delivery {
  /** The same for every attempt of one webhook. */
  readonly webhook: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  readonly sessionId: string;
  readonly orderId: number;
  /** Origin of the receiver; the path may hold a token and is not kept. */
  readonly to: string;
  /** HTTP status that the receiver answered. */
  readonly status?: number;
  /** Why there was no answer. */
  readonly error?: string;
}

/** What to deliver, and where. */
export interface Webhook {
  readonly url: string;
  readonly sessionId: string;
  readonly orderId: number;
  readonly payload: unknown;
}

const MAXIMUM_LOG = 10_000;

/** Posts webhooks to `WebhookUrl` (spec 4.6) and tries again until one is answered with 2xx. */
export class WebhookSender {
  readonly #clock: VirtualClock;
  readonly #pausesSeconds: readonly number[];
  readonly #timeoutSeconds: number;
  readonly #closing = new AbortController();
  #log: Delivery[] = [];

  constructor(options: {
    clock: VirtualClock;
    pausesSeconds: readonly number[];
    timeoutSeconds: number;
  }) {
    this.#clock = options.clock;
    this.#pausesSeconds = options.pausesSeconds;
    this.#timeoutSeconds = options.timeoutSeconds;
  }

  /** Starts the delivery and comes back at once. */
  send(webhook: Webhook): void {
    void this.#deliver(webhook, inventId('whk'));
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
      const outcome = await this.#post(webhook);
      if (this.#closing.signal.aborted) return;
      this.#note(webhook, id, attempt, outcome);
      if (outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300) return;
      const seconds = this.#pausesSeconds[attempt - 1];
      if (seconds === undefined) return;
      await this.#pause(seconds);
    }
  }

  async #post(webhook: Webhook): Promise<{ status?: number; error?: string }> {
    const timeout = AbortSignal.timeout(this.#timeoutSeconds * 1000);
    try {
      const response = await fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-pay-sandbox': '1' },
        body: JSON.stringify(webhook.payload),
        redirect: 'manual',
        signal: AbortSignal.any([timeout, this.#closing.signal]),
      });
      await response.body?.cancel();
      return { status: response.status };
    } catch (error) {
      return { error: timeout.aborted ? 'timeout' : describeFailure(error) };
    }
  }

  #note(
    webhook: Webhook,
    id: string,
    attempt: number,
    outcome: { status?: number; error?: string },
  ): void {
    this.#log.push({
      webhook: id,
      attempt,
      at: this.#clock.nowText(),
      sessionId: webhook.sessionId,
      orderId: webhook.orderId,
      to: new URL(webhook.url).origin,
      ...outcome,
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

function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return 'no answer';
}
