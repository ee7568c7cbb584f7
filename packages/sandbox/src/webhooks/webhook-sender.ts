import type { VirtualClock } from '../clock.js';
import { Inventor } from '../random.js';
import type { Switches } from '../switches.js';
import { findSigning, signWebhook } from './webhook-signing.js';

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
}

/** A webhook to send. */
export interface Webhook extends WebhookSubject {
  readonly url: string;
  readonly payload: unknown;
  /** Signs the webhook when a signing scheme is set. */
  readonly hmacKey?: string | undefined;
  /** How late it is sent. Default `webhookDelaySeconds`. */
  readonly afterSeconds?: number | undefined;
}

/** The receiver's answer, or why there is none. */
export type PostOutcome =
  { readonly status: number; readonly text: string } | { readonly error: string };

type SenderSwitches = Pick<
  Switches,
  'webhookSigning' | 'webhookPausesSeconds' | 'webhookTimeoutSeconds' | 'webhookDelaySeconds'
>;

const MAX_LOG_ENTRIES = 10_000;
const MAX_KEPT_WEBHOOKS = 1000;
const MAX_RESPONSE_BYTES = 65_536;

/** Posts webhooks, and retries each until it is answered with 2xx. */
export class WebhookSender {
  readonly #clock: VirtualClock;
  readonly #switches: SenderSwitches;
  readonly #inventor: Inventor;
  #pending = new AbortController();
  #log: Delivery[] = [];
  /** The latest webhooks by id, oldest first, to send them once more. */
  readonly #sent = new Map<string, Webhook>();

  /** After each attempt. */
  onAttempt: () => void = () => undefined;

  /** Webhooks that wait for `count` of them, to go out last first. */
  #reordering: { readonly count: number; readonly ids: string[] } | undefined;

  /** @param switches read for each attempt, because they can change */
  constructor(clock: VirtualClock, switches: SenderSwitches, inventor = new Inventor()) {
    this.#clock = clock;
    this.#switches = switches;
    this.#inventor = inventor;
  }

  /** Starts to send a webhook, and returns its id at once. */
  send(webhook: Webhook): string {
    const id = this.#inventor.id('whk');
    this.#remember(id, webhook);
    if (this.#reordering === undefined) void this.#deliver(webhook, id);
    else this.#waitForOthers(this.#reordering, id);
    return id;
  }

  /** Holds the next `count` webhooks, and then sends them last first. */
  reorder(count: number): void {
    this.#reordering = { count, ids: [] };
  }

  /** Sends a webhook once and waits for the outcome, as the webhook test of spec 4.8 does. */
  async sendOnce(webhook: Webhook): Promise<PostOutcome> {
    const id = this.#inventor.id('whk');
    this.#remember(id, webhook);
    const outcome = await this.#post(webhook, id);
    this.#record(webhook, id, 1, outcome);
    return outcome;
  }

  /**
   * Sends a webhook once more, with its id and the present signature.
   *
   * @returns `undefined` for an unknown webhook
   */
  async resend(id: string): Promise<Delivery | undefined> {
    const webhook = this.#sent.get(id);
    if (webhook === undefined) return undefined;
    const outcome = await this.#post(webhook, id);
    const earlier = this.#log.findLast((delivery) => delivery.webhook === id);
    return this.#record(webhook, id, (earlier?.attempt ?? 0) + 1, outcome);
  }

  /** Every attempt, oldest first. */
  deliveries(): readonly Delivery[] {
    return this.#log;
  }

  clear(): void {
    this.#log = [];
    this.#sent.clear();
    this.#reordering = undefined;
    // Nothing of before the reset arrives after it.
    this.#pending.abort();
    this.#pending = new AbortController();
  }

  /** Abandons every webhook. */
  close(): void {
    this.#pending.abort();
  }

  #waitForOthers(reordering: { readonly count: number; readonly ids: string[] }, id: string): void {
    reordering.ids.push(id);
    if (reordering.ids.length < reordering.count) return;
    this.#reordering = undefined;
    void this.#deliverInTurn(reordering.ids.toReversed());
  }

  /** Each begins when the one before it has arrived or is given up. */
  async #deliverInTurn(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const webhook = this.#sent.get(id);
      if (webhook !== undefined) await this.#deliver(webhook, id);
    }
  }

  /** Tries until it is answered with 2xx. The pauses are of the sandbox's time. */
  async #deliver(webhook: Webhook, id: string): Promise<void> {
    const { signal } = this.#pending;
    const { afterSeconds = this.#switches.webhookDelaySeconds } = webhook;
    if (afterSeconds > 0) await this.#clock.pause(afterSeconds, signal);
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const outcome = await this.#post(webhook, id);
      if (signal.aborted) return;
      this.#record(webhook, id, attempt, outcome);
      if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) return;
      const seconds = this.#switches.webhookPausesSeconds[attempt - 1];
      if (seconds === undefined) return;
      await this.#clock.pause(seconds, signal);
    }
  }

  #post({ url, payload, hmacKey }: Webhook, id: string): Promise<PostOutcome> {
    const body = JSON.stringify(payload);
    const signing = findSigning(this.#switches.webhookSigning);
    const headers =
      signing === undefined || hmacKey === undefined
        ? {}
        : signWebhook(signing, hmacKey, { id, url, body, time: this.#clock.now() });
    return postWebhook(url, body, {
      headers,
      timeoutSeconds: this.#switches.webhookTimeoutSeconds,
      signal: this.#pending.signal,
    });
  }

  #remember(id: string, webhook: Webhook): void {
    this.#sent.set(id, webhook);
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MAX_KEPT_WEBHOOKS) break;
      this.#sent.delete(oldest);
    }
  }

  #record(webhook: Webhook, id: string, attempt: number, outcome: PostOutcome): Delivery {
    const { url, sessionId, orderId, event, endpointId } = webhook;
    const delivery: Delivery = {
      webhook: id,
      attempt,
      at: this.#clock.nowText(),
      sessionId,
      orderId,
      event,
      endpointId,
      to: new URL(url).origin,
      ...('status' in outcome ? { status: outcome.status } : { error: outcome.error }),
    };
    this.#log.push(delivery);
    if (this.#log.length > MAX_LOG_ENTRIES) this.#log.shift();
    this.onAttempt();
    return delivery;
  }
}

/** Posts one JSON body. A redirect is an answer. The timeout covers the body of the answer. */
async function postWebhook(
  url: string,
  body: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  },
): Promise<PostOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutSeconds * 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pay-sandbox': '1', ...options.headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, options.signal]),
    });
    return { status: response.status, text: await readText(response) };
  } catch (error) {
    return { error: timeout.aborted ? 'timeout' : describeFailure(error) };
  }
}

/** Reads a body up to the limit. */
async function readText(response: Response): Promise<string> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString();
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return 'no answer';
}
