import type { VirtualClock } from '../clock.js';
import type { Fault } from '../faults/fault.js';
import {
  DeliveryLog,
  type Delivery,
  type SentWebhook,
  type WebhookSubject,
} from './delivery-log.js';
import { Inventor } from '../random.js';
import type { Switches } from '../switches.js';
import { postWebhook, type PostOutcome } from './post-webhook.js';
import { findSigning, signWebhook } from './webhook-signing.js';

/** A webhook to send. */
export interface Webhook extends WebhookSubject {
  readonly url: string;
  readonly payload: unknown;
  /** Signs the webhook when a signing scheme is set. */
  readonly hmacKey?: string | undefined;
  /** How late it is sent. Default `webhookDelaySeconds`. */
  readonly afterSeconds?: number | undefined;
}

type SenderSwitches = Pick<
  Switches,
  'webhookSigning' | 'webhookPausesSeconds' | 'webhookTimeoutSeconds' | 'webhookDelaySeconds'
>;

/** What an attempt may meet. */
interface Meeting {
  readonly signal: AbortSignal;
  readonly fault: Fault | undefined;
}

/** A webhook and what was done about it. */
interface Sending {
  readonly id: string;
  readonly webhook: Webhook;
  attempts: number;
}

/** The fault that the next attempt meets, once its latency is over. */
type MeetFault = (signal: AbortSignal) => Promise<Fault | undefined>;

const MAX_KEPT_WEBHOOKS = 1000;
const LOST: PostOutcome = { error: 'lost' };

/** Posts webhooks, and retries each until it is answered with 2xx. */
export class WebhookSender {
  readonly #clock: VirtualClock;
  readonly #switches: SenderSwitches;
  readonly #inventor: Inventor;
  readonly #meetFault: MeetFault;
  readonly #log: DeliveryLog;
  #pending = new AbortController();
  /** The latest webhooks by id, oldest first, to send them once more. */
  readonly #sent = new Map<string, Sending>();

  /** After each attempt. */
  onAttempt: () => void = () => undefined;

  /** Webhooks that wait for `count` of them, to go out last first. */
  #reordering: { readonly count: number; readonly waiting: Sending[] } | undefined;

  /** @param switches read for each attempt, because they can change */
  constructor(
    clock: VirtualClock,
    switches: SenderSwitches,
    inventor = new Inventor(),
    meetFault: MeetFault = () => Promise.resolve(undefined),
    log = new DeliveryLog(),
  ) {
    this.#clock = clock;
    this.#switches = switches;
    this.#inventor = inventor;
    this.#meetFault = meetFault;
    this.#log = log;
  }

  /** Starts to send a webhook, and returns its id at once. */
  send(webhook: Webhook): string {
    const sending = this.#begin(webhook);
    if (this.#reordering === undefined) void this.#deliver(sending);
    else this.#waitForOthers(this.#reordering, sending);
    return sending.id;
  }

  /** Holds the next `count` webhooks, and then sends them last first. */
  reorder(count: number): void {
    this.#reordering = { count, waiting: [] };
  }

  /** Sends a webhook once and waits for the outcome, as the webhook test of spec 4.8 does. */
  async sendOnce(webhook: Webhook): Promise<PostOutcome> {
    return (await this.#attempt(this.#begin(webhook))).outcome;
  }

  /**
   * Sends a webhook once more, with its id and the present signature.
   *
   * @returns `undefined` for an unknown webhook
   */
  async resend(id: string): Promise<Delivery | undefined> {
    const sending = this.#sent.get(id);
    return sending && (await this.#attempt(sending)).delivery;
  }

  /** Every attempt, oldest first. */
  deliveries(): readonly Delivery[] {
    return this.#log.list();
  }

  /** An attempt with headers and bodies, while they are kept. Secrets are masked. */
  findDelivery(number: number): ReturnType<DeliveryLog['find']> {
    return this.#log.find(number);
  }

  clear(): void {
    this.#log.clear();
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

  #begin(webhook: Webhook): Sending {
    const sending: Sending = { id: this.#inventor.id('whk'), webhook, attempts: 0 };
    this.#sent.set(sending.id, sending);
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MAX_KEPT_WEBHOOKS) break;
      this.#sent.delete(oldest);
    }
    return sending;
  }

  #waitForOthers(
    { count, waiting }: { readonly count: number; readonly waiting: Sending[] },
    sending: Sending,
  ): void {
    waiting.push(sending);
    if (waiting.length < count) return;
    this.#reordering = undefined;
    void this.#deliverInTurn(waiting.toReversed());
  }

  /** Each begins when the one before it has arrived or is given up. */
  async #deliverInTurn(all: readonly Sending[]): Promise<void> {
    for (const sending of all) await this.#deliver(sending);
  }

  /** Tries until it is answered with 2xx. The pauses are of the sandbox's time. */
  async #deliver(sending: Sending): Promise<void> {
    const { signal } = this.#pending;
    const { afterSeconds = this.#switches.webhookDelaySeconds } = sending.webhook;
    if (afterSeconds > 0) await this.#clock.pause(afterSeconds, signal);
    for (let retries = 0; !signal.aborted; retries += 1) {
      const { outcome } = await this.#attempt(sending);
      if (outcome === LOST) return;
      if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) return;
      const seconds = this.#switches.webhookPausesSeconds[retries];
      if (seconds === undefined) return;
      await this.#clock.pause(seconds, signal);
    }
  }

  /** Posts it once, or plays the fault that it meets. */
  async #attempt(sending: Sending): Promise<{ outcome: PostOutcome; delivery: Delivery }> {
    const { signal } = this.#pending;
    const fault = await this.#meetFault(signal);
    const once = async () => {
      const sent = this.#write(sending, fault);
      const outcome =
        fault?.fault === 'lost' ? LOST : await this.#post(sending, sent, { signal, fault });
      return { outcome, delivery: this.#record(sending, sent, outcome, { signal, fault }) };
    };
    if (fault?.fault === 'duplicate') await once();
    return once();
  }

  #write(
    { id, webhook: { url, payload, hmacKey } }: Sending,
    fault: Fault | undefined,
  ): SentWebhook {
    const body = JSON.stringify(payload);
    const signing = findSigning(this.#switches.webhookSigning);
    const isWrong = fault?.fault === 'wrong-signature';
    const key = isWrong ? this.#inventor.bytes(32).toString('hex') : hmacKey;
    const signature =
      signing === undefined || hmacKey === undefined || key === undefined
        ? {}
        : signWebhook(signing, key, { id, url, body, time: this.#clock.now() });
    const headers = { 'content-type': 'application/json', 'x-pay-sandbox': '1' };
    return { headers, signature, body };
  }

  #post(
    { webhook: { url } }: Sending,
    { headers, signature, body }: SentWebhook,
    meeting: Meeting,
  ): Promise<PostOutcome> {
    return postWebhook(url, body, {
      headers: { ...headers, ...signature },
      timeoutSeconds: this.#switches.webhookTimeoutSeconds,
      ...meeting,
    });
  }

  #record(
    sending: Sending,
    sent: SentWebhook,
    outcome: PostOutcome,
    { signal, fault }: Meeting,
  ): Delivery {
    const { url, sessionId, orderId, event, endpointId } = sending.webhook;
    sending.attempts += 1;
    const delivery = {
      webhook: sending.id,
      attempt: sending.attempts,
      at: this.#clock.nowText(),
      sessionId,
      orderId,
      event,
      endpointId,
      to: new URL(url).origin,
      ...('status' in outcome ? { status: outcome.status } : { error: outcome.error }),
      ...(fault && { fault: fault.fault }),
    };
    if (signal.aborted) return { number: 0, ...delivery };
    const logged = this.#log.add(delivery, sent, 'status' in outcome ? outcome : undefined);
    this.onAttempt();
    return logged;
  }
}
