import { verifyWebhook } from '@pay-checkout/partner-api';
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import { type Attempt, findAttemptsByReference } from '../checkouts/attempt-repository.js';
import { findCheckout } from '../checkouts/repository.js';
import type { StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import { findWebhookEndpoints, type Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { WebhookEndpoint, WebhookSettings } from '../merchants/webhook-settings.js';
import { type Observer, SILENT_OBSERVER, type WebhookFlag } from '../observer.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { type RunLoop, type RunLoops, withUpkeep } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import { encryptionContext, type DataEncryption } from '../encryption.js';
import {
  type AttemptNames,
  contradicts,
  proofOf,
  type RawWebhook,
  readNames,
  readPayload,
  unpackWebhook,
} from './payload.js';
import {
  type ClaimedWebhook,
  claimWebhooks,
  type CompletedWebhook,
  eraseWebhooks,
  retryUnmatched,
  type WebhookOutcome,
  type WebhookProof,
} from './repository.js';
import { eraseOldLog } from '../orders/order-log.js';
import { completeWebhook, keepUnmatched } from './webhook-transactions.js';

const BATCH = 100;
const LOG_BATCH = 1000;
/** After this long a claimed webhook counts as abandoned by a process that died. */
const LEASE_SECONDS = 30;
const UPKEEP_MS = 1000;
const ERASE_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface WebhookWorkerOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: MerchantSource;
  readonly reconciliation: Pick<ReconciliationService, 'wake'>;
  readonly changes: ChangeFeed;
  readonly encryption: DataEncryption;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: WebhookLimits;
  /** Default: none. */
  readonly observer?: Pick<Observer, 'webhookProcessed'>;
}

export interface WebhookLimits {
  /** Of a decoded body. */
  readonly maxBytes: number;
  /** How long bodies are kept, processed or not. */
  readonly keepDays: number;
  readonly unmatchedHours: number;
  /** Unmatched webhooks of one token. */
  readonly maxUnmatched: number;
}

/** A merchant that a webhook may be for, and the settings to read it with. */
interface Reading {
  readonly merchant: Merchant;
  readonly settings: WebhookSettings;
}

interface EndpointReading extends Reading {
  readonly settings: WebhookEndpoint;
}

/** The attempts that a webhook is about: several when it names more than one. */
interface Found {
  readonly reading: Reading | undefined;
  readonly attempts: readonly Attempt[];
  readonly isContradictory: boolean;
  /** Whether its body names the attempt: not only the address that it came to. */
  readonly isNamed: boolean;
}

/**
 * Processes stored webhooks: finds the attempt, checks the signature if a scheme is set, and triggers
 * a poll. Also erases what was kept for long enough. A webhook is processed when its outcome is
 * stored; until then it is claimed again, also after a crash.
 */
export function startWebhookWorker(options: WebhookWorkerOptions): RunLoop {
  const { loops } = options;
  const worker = new WebhookWorker(options);
  const loop = loops.start({
    name: 'webhook worker',
    nextDue: sql`SELECT min(due_at) FROM webhooks WHERE due_at IS NOT NULL`,
    run: () => worker.run(),
  });
  const upkeep = loops.start({
    name: 'webhook upkeep',
    run: async () => {
      if (await worker.retryUnmatched()) loop.wake();
      return (await worker.eraseOld()) ? 0 : UPKEEP_MS;
    },
  });
  return withUpkeep(loop, upkeep);
}

class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #pollPlanner = new PollPlanner();
  readonly #observer: Pick<Observer, 'webhookProcessed'>;
  /** Whose settings unmatched webhooks were last read with, and those settings. */
  #merchants: readonly Merchant[] | undefined;
  #settings: string | undefined;
  #eraseAt = -Infinity;
  /** Whether the store's log may still hold what was erased. */
  #hasTraces = false;

  constructor(options: WebhookWorkerOptions) {
    this.#options = options;
    this.#observer = options.observer ?? SILENT_OBSERVER;
  }

  /** Processes what is due. Returns 0 when there may be more. */
  async run(): Promise<number | undefined> {
    const { database, clock } = this.#options;
    const webhooks = await database.transaction('webhook:claim', (tx) =>
      claimWebhooks(tx, { limit: BATCH, leaseSeconds: LEASE_SECONDS }, clock.now()),
    );
    await Promise.all(webhooks.map((webhook) => this.#process(webhook)));
    return webhooks.length === BATCH ? 0 : undefined;
  }

  /** Changed settings may find the attempts of unmatched webhooks. Returns whether they were due again. */
  async retryUnmatched(): Promise<boolean> {
    const { merchants, database, clock } = this.#options;
    const all = await merchants.all();
    if (all === this.#merchants) return false;
    const settings = describeEndpoints(all);
    const hasChanged = settings !== this.#settings;
    if (hasChanged) {
      await database.transaction('webhook:retry-unmatched', (tx) =>
        retryUnmatched(tx, clock.now()),
      );
    }
    this.#merchants = all;
    this.#settings = settings;
    return hasChanged;
  }

  /** Erases a batch of what is due, once a minute. Returns whether there is more. */
  async eraseOld(): Promise<boolean> {
    const { database, clock, limits } = this.#options;
    const now = clock.now();
    if (now < this.#eraseAt) return false;
    const before = {
      receivedBefore: now - limits.keepDays * DAY_MS,
      unmatchedBefore: now - limits.unmatchedHours * HOUR_MS,
      limit: BATCH,
    };
    const erased = await database.transaction('webhook:erase', (tx) => eraseWebhooks(tx, before));
    if (erased > 0) this.#hasTraces = true;
    // Not personal data, so its traces need no purge.
    const forgotten = await database.transaction('log:erase', (tx) =>
      eraseOldLog(tx, {
        before: before.receivedBefore,
        since: Math.max(this.#eraseAt - 2 * ERASE_INTERVAL_MS, now - DAY_MS),
        limit: LOG_BATCH,
      }),
    );
    if (erased === BATCH || forgotten === LOG_BATCH) return true;
    this.#eraseAt = now + ERASE_INTERVAL_MS;
    if (this.#hasTraces) this.#hasTraces = !(await database.purgeDeleted());
    return false;
  }

  async #process(webhook: ClaimedWebhook): Promise<void> {
    const { encryption, logger } = this.#options;
    const { tokenHash, digest, sealed, attempt } = webhook;
    try {
      const packed = encryption.open(sealed, encryptionContext(tokenHash, digest));
      if (packed) await this.#match(webhook, unpackWebhook(packed));
      else {
        await this.#complete(webhook, {
          attempts: attempt ? [attempt] : [],
          flags: ['unreadable'],
        });
      }
    } catch (error) {
      logger.error(
        { webhook: webhook.id, ...describeError(error) },
        'a webhook could not be processed; it is tried again',
      );
    }
  }

  async #match(webhook: ClaimedWebhook, raw: RawWebhook): Promise<void> {
    const { limits, database, encryption } = this.#options;
    const payload = readPayload(raw, limits.maxBytes);
    const found = await this.#find(webhook, payload);
    if (found.attempts.length === 0) {
      const references = await this.#referencesOf(webhook, payload);
      const hash = (reference: string) => encryption.hashReference(reference);
      await database.transaction('webhook:mark-unmatched', (tx) =>
        keepUnmatched(tx, webhook, { references, max: limits.maxUnmatched, hash }),
      );
      this.#observer.webhookProcessed('unmatched', []);
      return;
    }
    const flags: WebhookFlag[] = found.isContradictory ? ['contradicts'] : [];
    const isVerified = await verifySignature(webhook, raw, found.reading);
    if (isVerified !== undefined) flags.push(isVerified ? 'verified' : 'signature_refused');
    const proof =
      isVerified === true && !found.isContradictory && found.isNamed
        ? await this.#prove(webhook, payload, found)
        : undefined;
    const otherDigests = encryption.otherDigests(webhook.digest, webhook.tokenHash, raw.body);
    await this.#complete(webhook, { attempts: found.attempts, flags, proof, otherDigests });
  }

  async #prove(
    { receivedAt }: ClaimedWebhook,
    payload: unknown,
    { reading, attempts: [attempt] }: Found,
  ): Promise<WebhookProof | undefined> {
    const checkout = attempt && (await findCheckout(this.#options.database, attempt.checkout));
    if (!reading || !checkout) return undefined;
    const { settings, merchant } = reading;
    return proofOf({ payload, receivedAt, attempt, checkout }, settings, merchant.evidence);
  }

  /** Stores the outcome, then polls. The schedule makes up for a poll that a crash prevents. */
  async #complete(
    webhook: ClaimedWebhook,
    { attempts, ...outcome }: Pick<Found, 'attempts'> & Omit<WebhookOutcome, 'pollFor'>,
  ): Promise<void> {
    const { database, context, reconciliation, changes, clock, logger } = this.#options;
    const now = clock.now();
    // A failure counts after the next poll.
    const isFailure = outcome.proof?.kind === 'failure';
    const pollFor = attempts.map(({ orderId }) => {
      const at = this.#pollPlanner.plan(orderId, now);
      return { orderId, at: isFailure ? now : at };
    });
    const orderId = attempts[0]?.orderId;
    let completed: CompletedWebhook | undefined;
    try {
      completed = await database.transaction('webhook:complete', (tx) =>
        completeWebhook(tx, webhook.id, { ...outcome, orderId, pollFor }, context),
      );
    } finally {
      if (completed === undefined || completed.became === 'gone') {
        for (const { orderId, at } of pollFor) this.#pollPlanner.takeBack(orderId, at);
      }
    }
    const { became, changes: changed } = completed;
    if (became === 'gone') return;
    const { flags } = outcome;
    this.#observer.webhookProcessed(became, flags);
    for (const { before, after } of changed) if (after !== before) changes.notify(after.id);
    for (const { merchant, order, checkout } of attempts) {
      const ms = now - webhook.receivedAt;
      const fields: LogFields = {
        webhook: webhook.id,
        kind: 'webhook',
        merchant,
        order,
        checkout,
        ms,
      };
      logger.info({ ...fields, result: became, flags }, 'hint received');
    }
    if (became === 'processed' && flags.some((flag) => flag !== 'verified')) {
      logger.warn({ webhook: webhook.id, flags }, 'a webhook needs attention');
    }
    if (pollFor.some(({ at }) => at <= now)) reconciliation.wake();
  }

  async #find(webhook: ClaimedWebhook, payload: unknown): Promise<Found> {
    const { attempt } = webhook;
    if (attempt) {
      const merchant = await this.#options.merchants.find(attempt.merchant);
      const reading = merchant && { merchant, settings: merchant.webhooks };
      const names = reading && readNames(payload, reading.settings);
      const isContradictory = names !== undefined && contradicts(names, attempt);
      const isNamed = names !== undefined && referencesIn(names).length > 0;
      return { reading, attempts: [attempt], isContradictory, isNamed };
    }
    for (const reading of await this.#readingsOf(webhook)) {
      const names = readNames(payload, reading.settings);
      const attempts = await this.#findNamed(reading, names);
      const isContradictory =
        attempts.length > 1 || attempts.some((named) => contradicts(names, named));
      if (attempts.length > 0) return { reading, attempts, isContradictory, isNamed: true };
    }
    return { reading: undefined, attempts: [], isContradictory: false, isNamed: false };
  }

  async #findNamed(
    { merchant, settings }: EndpointReading,
    names: AttemptNames,
  ): Promise<readonly Attempt[]> {
    const references = referencesIn(names);
    if (references.length === 0) return [];
    const { account = merchant.account } = settings;
    const { database } = this.#options;
    const attempts = await findAttemptsByReference(database, { account }, references);
    return attempts.filter((attempt) => attempt.merchant === merchant.id);
  }

  async #referencesOf(webhook: ClaimedWebhook, payload: unknown): Promise<string[]> {
    const readings = await this.#readingsOf(webhook);
    return readings.flatMap(({ settings }) => referencesIn(readNames(payload, settings)));
  }

  /** The merchants that registered the endpoint, each with its own settings. */
  async #readingsOf({ tokenHash }: ClaimedWebhook): Promise<EndpointReading[]> {
    return findWebhookEndpoints(await this.#options.merchants.all(), tokenHash);
  }
}

/** Undefined when no scheme is set: the spec shows none. */
async function verifySignature(
  { receivedAt }: ClaimedWebhook,
  raw: RawWebhook,
  reading: Reading | undefined,
): Promise<boolean | undefined> {
  const signature = reading?.settings.signature;
  if (!signature) return undefined;
  // At the time that it came: a webhook does not grow too old while it waits for the worker.
  const at = new Date(receivedAt);
  const { valid } = await verifyWebhook(signature.scheme, signature.keys, raw, at);
  return valid;
}

/**
 * Decides when a webhook's poll begins: one that began after each of them, and few for a flood of forged
 * ones. With each poll of the last hour the next one waits twice as long; webhooks that arrive until
 * then share it.
 */
class PollPlanner {
  static readonly #firstPauseMs = 1000;
  static readonly #maxPauseMs = 600_000;
  /** When polls were planned for, newest last, by `order_id`. */
  readonly #polls = new LRUCache<number, number[]>({ max: 10_000 });

  /** When the poll for a webhook of this attempt begins: now, or later. */
  plan(orderId: number, now: number): number {
    const latest = now + PollPlanner.#maxPauseMs;
    // Later ones were planned before the clock was set back.
    const polls = (this.#polls.get(orderId) ?? []).filter(
      (at) => at > now - HOUR_MS && at <= latest,
    );
    const last = polls.at(-1);
    if (last !== undefined && last > now) return last;
    const pauseMs = Math.min(
      PollPlanner.#firstPauseMs * 2 ** (polls.length - 1),
      PollPlanner.#maxPauseMs,
    );
    const at = last === undefined ? now : Math.max(now, last + pauseMs);
    this.#polls.set(orderId, [...polls, at]);
    return at;
  }

  /** The poll for that time was not stored, so it does not count. */
  takeBack(orderId: number, plannedFor: number): void {
    const polls = this.#polls.get(orderId) ?? [];
    this.#polls.set(
      orderId,
      polls.filter((at) => at !== plannedFor),
    );
  }
}

function referencesIn({ orderId, merchantReference }: AttemptNames): string[] {
  return [orderId, merchantReference].filter((name) => name !== undefined);
}

/** All that decides which attempts a webhook to a registered endpoint finds. */
function describeEndpoints(merchants: readonly Merchant[]): string {
  return JSON.stringify(
    merchants.map(({ id, account, webhookEndpoints }) => [
      id,
      webhookEndpoints.map((endpoint) => [
        endpoint.tokenHash,
        endpoint.account ?? account,
        endpoint.paths,
      ]),
    ]),
  );
}
