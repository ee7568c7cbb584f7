import { verifyWebhook } from '@pay-checkout/partner-api';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import type { Attempt, CheckoutStore } from '../checkouts/repository.js';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { describeError, type Logger } from '../logger.js';
import type { WebhookSettings } from '../merchants/webhook-settings.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../metrics/observer.js';
import { repeat, type Repeating } from '../repeat.js';
import type { WebhookEncryption } from './encryption.js';
import { Burst } from './burst.js';
import { type RawWebhook, readContent, unpackWebhook } from './content.js';
import { WebhookEraser, type RetentionLimits } from './eraser.js';
import type {
  ClaimedWebhook,
  WebhookFlag,
  WebhookOutcome,
  CompletedWebhook,
} from './repository.js';
import { contradicts, type NamedAttempt, evidenceOfWebhook, readNames } from './matching.js';
import { PollLimiter } from './poll-limiter.js';

const BATCH = 100;
/** After this long a delivery counts as left behind by a process that died. */
const LEASE_SECONDS = 30;
const PAUSE_MS = 1000;

export interface WebhookWorkerOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly evidence: Pick<ReconciliationService, 'hint'>;
  readonly changes: ChangeFeed;
  readonly vault: WebhookEncryption;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: WebhookLimits;
  /** Hears what became of each delivery. Default: nobody. */
  readonly observer?: Pick<Observer, 'webhookProcessed'>;
}

export interface WebhookLimits extends RetentionLimits {
  readonly maxBytes: number;
  /** Deliveries for which no attempt was found, for each token. */
  readonly maxUnmatched: number;
}

/** Whose delivery it may be, and how it is to be read. */
interface Reading {
  readonly merchant: Merchant;
  readonly settings: WebhookSettings;
}

/** Who a delivery is about: an attempt, or several when it names more than one. */
interface Found {
  readonly reading: Reading | undefined;
  readonly attempts: readonly Attempt[];
  readonly isContradictory: boolean;
}

/**
 * Works on the deliveries that were stored: finds the attempt, checks the signature if a scheme is
 * set, causes a look, and erases what has been kept for long enough. A delivery is done when its
 * outcome is stored; until then it comes again, also after a crash. What comes in a {@link Burst} is
 * worked on after it.
 */
export function startWebhookWorker(options: WebhookWorkerOptions): Repeating {
  const inbox = new WebhookWorker(options);
  const burst = new Burst();
  /** By whose settings the parked ones were read last. */
  let readFor: readonly Merchant[] | undefined;
  const job = repeat({
    name: 'delivery inbox',
    logger: options.logger,
    pauseMs: PAUSE_MS,
    async run() {
      const merchants = await options.merchants.all();
      if (!isReadAlike(readFor, merchants)) {
        // The settings may say another way to find the attempts of what is parked.
        await options.store.retryUnmatched();
        crashPoint('webhook:unmatched-retried');
      }
      readFor = merchants;
      return burst.isOn(performance.now()) ? Burst.gapMs : inbox.run();
    },
  });
  return {
    wake() {
      const now = performance.now();
      if (!burst.isOn(now)) job.wake();
      burst.note(now);
    },
    close: () => job.close(),
  };
}

class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #looks = new PollLimiter();
  readonly #eraser: WebhookEraser;
  readonly #observer: Pick<Observer, 'webhookProcessed'>;

  constructor(options: WebhookWorkerOptions) {
    this.#options = options;
    this.#eraser = new WebhookEraser(options);
    this.#observer = options.observer ?? SILENT_OBSERVER;
  }

  /** Works on what is due; answers how long to wait for more. */
  async run(): Promise<number | undefined> {
    const { store, clock } = this.#options;
    const deliveries = await store.claimWebhooks(BATCH, LEASE_SECONDS);
    if (deliveries.length > 0) crashPoint('webhook:claimed');
    await Promise.all(deliveries.map((delivery) => this.#process(delivery)));
    const hasMore = deliveries.length === BATCH;
    const hasMoreToErase = await this.#eraser.run(!hasMore);
    if (hasMore || hasMoreToErase) return 0;
    const next = await store.nextWebhookAt();
    return next === undefined ? undefined : next - clock.now();
  }

  async #process(delivery: ClaimedWebhook): Promise<void> {
    try {
      const packed = this.#options.vault.open(
        delivery.sealed,
        sealContext(delivery.tokenHash, delivery.digest),
      );
      if (packed) await this.#matchTransaction(delivery, unpackWebhook(packed));
      else await this.#settle(delivery, { attempts: attemptsOf(delivery), flags: ['unreadable'] });
    } catch (error) {
      this.#options.logger.error(
        { delivery: delivery.id, ...describeError(error) },
        'a webhook delivery could not be worked on; it is tried again',
      );
    }
  }

  async #matchTransaction(delivery: ClaimedWebhook, raw: RawWebhook): Promise<void> {
    const { limits, store } = this.#options;
    const content = readContent(raw, limits.maxBytes);
    const found = await this.#find(delivery, content);
    if (found.attempts.length === 0) {
      const references = await this.#referencesOf(delivery, content);
      await store.markUnmatched(delivery, references, { most: limits.maxUnmatched });
      crashPoint('webhook:marked-unmatched');
      this.#observer.webhookProcessed('parked', []);
      return;
    }
    const flags: WebhookFlag[] = found.isContradictory ? ['contradicts'] : [];
    const isVerified = await this.#verify(delivery, raw, found.reading);
    if (isVerified !== undefined) flags.push(isVerified ? 'verified' : 'signature_refused');
    const { attempts } = found;
    const proof =
      isVerified === true && !found.isContradictory
        ? await this.#prove(delivery, content, found)
        : undefined;
    const { digest, tokenHash } = delivery;
    const otherDigests = this.#options.vault.otherDigests(digest, tokenHash, raw.body);
    await this.#settle(delivery, { attempts, flags, proof, otherDigests });
  }

  async #prove(
    { receivedAt }: ClaimedWebhook,
    content: unknown,
    { reading, attempts: [attempt] }: Found,
  ): Promise<WebhookOutcome['proof']> {
    const checkout = attempt && (await this.#options.store.find(attempt.checkout));
    if (!reading || !checkout) return undefined;
    return evidenceOfWebhook(
      { content, receivedAt, attempt, checkout },
      reading.settings,
      reading.merchant.evidence,
    );
  }

  /** Stores what was found out, then looks: what a crash forgets, the planned look finds. */
  async #settle(
    delivery: ClaimedWebhook,
    { attempts, ...outcome }: Pick<Found, 'attempts'> & Omit<WebhookOutcome, 'lookFor'>,
  ): Promise<void> {
    const { store, evidence, changes, clock, logger } = this.#options;
    const now = clock.now();
    const due = attempts.filter(({ orderId }) => this.#looks.allow(orderId, now));
    const lookFor = due.map(({ orderId }) => orderId);
    let settled: CompletedWebhook | undefined;
    try {
      settled = await store.completeWebhook(delivery.id, { ...outcome, lookFor });
      crashPoint('webhook:completed');
    } finally {
      const isPlanned = settled !== undefined && settled.became !== 'gone';
      if (!isPlanned) for (const { orderId } of due) this.#looks.takeBack(orderId, now);
    }
    const { became, change } = settled;
    if (became === 'gone') return;
    const { flags } = outcome;
    this.#observer.webhookProcessed(became, flags);
    if (change && change.after !== change.before) changes.notify(change.after.id);
    if (became === 'processed' && flags.some((flag) => flag !== 'verified')) {
      logger.warn({ delivery: delivery.id, flags }, 'a webhook delivery needs a look by a person');
    }
    const checkouts = await store.findMany(due.map(({ checkout }) => checkout));
    for (const checkout of checkouts) evidence.hint(checkout);
  }

  async #find(delivery: ClaimedWebhook, content: unknown): Promise<Found> {
    const { attempt } = delivery;
    if (attempt) {
      const merchant = await this.#options.merchants.find(attempt.merchant);
      const reading = merchant && { merchant, settings: merchant.webhooks };
      const isContradictory =
        reading !== undefined && contradicts(readNames(content, reading.settings), attempt);
      return { reading, attempts: [attempt], isContradictory };
    }
    for (const reading of await this.#readingsOf(delivery)) {
      const names = readNames(content, reading.settings);
      const attempts = await this.#findNamed(reading.merchant, names);
      const isContradictory =
        attempts.length > 1 || attempts.some((named) => contradicts(names, named));
      if (attempts.length > 0) return { reading, attempts, isContradictory };
    }
    return { reading: undefined, attempts: [], isContradictory: false };
  }

  async #findNamed(
    merchant: Merchant,
    { orderId, merchantReference }: NamedAttempt,
  ): Promise<readonly Attempt[]> {
    const references = [orderId, merchantReference].filter((name) => name !== undefined);
    if (references.length === 0) return [];
    const attempts = await this.#options.store.findAttemptsByReference(
      merchant.providerMerchantId,
      references,
    );
    return attempts.filter((attempt) => attempt.merchant === merchant.id);
  }

  async #referencesOf(delivery: ClaimedWebhook, content: unknown): Promise<string[]> {
    const readings = await this.#readingsOf(delivery);
    return readings.flatMap(({ settings }) => {
      const { orderId, merchantReference } = readNames(content, settings);
      return [orderId, merchantReference].filter((name) => name !== undefined);
    });
  }

  /** The merchants that registered the endpoint, each with its own way to read it. */
  async #readingsOf({ tokenHash }: ClaimedWebhook): Promise<Reading[]> {
    const merchants = await this.#options.merchants.all();
    return merchants.flatMap((merchant) =>
      merchant.webhookEndpoints
        .filter((endpoint) => toStoredHash(endpoint.tokenHash) === tokenHash)
        .map((settings) => ({ merchant, settings })),
    );
  }

  /** Undefined when no scheme is set: the spec shows none. */
  async #verify(
    { receivedAt }: ClaimedWebhook,
    raw: RawWebhook,
    reading: Reading | undefined,
  ): Promise<boolean | undefined> {
    const signature = reading?.settings.signature;
    if (!signature) return undefined;
    // Judged by the time it came: work that was put off makes no delivery too old.
    const verdict = await verifyWebhook(
      signature.scheme,
      signature.keys,
      raw,
      new Date(receivedAt),
    );
    return verdict.valid;
  }
}

/** Whether the deliveries of registered endpoints find the same attempts under both. */
function isReadAlike(before: readonly Merchant[] | undefined, after: readonly Merchant[]): boolean {
  if (before === after) return true;
  return before !== undefined && describeReadings(before) === describeReadings(after);
}

function describeReadings(merchants: readonly Merchant[]): string {
  return JSON.stringify(
    merchants.map(({ id, providerMerchantId, webhookEndpoints }) => [
      ...[id, providerMerchantId],
      webhookEndpoints.map(({ tokenHash, paths }) => [tokenHash, paths]),
    ]),
  );
}

/** What a sealed delivery belongs to, so that none can be put in the place of another. */
export function sealContext(tokenHash: string, digest: string): string {
  return `pay-checkout.delivery.v1\n${tokenHash}\n${digest}`;
}

/** A hash of the merchants file in the form in which tokens are stored. */
export function toStoredHash(tokenHash: string): string {
  return Buffer.from(tokenHash.slice('sha256:'.length), 'hex').toString('base64url');
}

function attemptsOf({ attempt }: ClaimedWebhook): Attempt[] {
  return attempt ? [attempt] : [];
}
