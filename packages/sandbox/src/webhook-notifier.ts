import type { Accounts } from './accounts.js';
import type { VirtualClock } from './clock.js';
import { makePaidRow } from './paid-row.js';
import type { Inventor } from './random.js';
import type { CheckoutSession, SessionStore } from './resources/session-store.js';
import type { WebhookEndpoints } from './resources/webhook-endpoints.js';
import type { SandboxSettings } from './settings.js';
import type { WebhookOutcome } from './switches.js';
import type { TransactionRow } from './transactions/transaction.js';
import { orderIdOf } from './webhook-payload.js';
import type { WebhookSender } from './webhooks/webhook-sender.js';

/** `status` of a webhook about what is no transaction. The spec shows none (sections 3 and 6). */
const STATUS_WITHOUT_ROW = {
  paid: 'SUCCESS',
  refunded: 'REFUNDED',
  declined: 'FAILED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
} as const satisfies Record<WebhookOutcome, string>;

interface Parts {
  readonly accounts: Accounts;
  readonly settings: SandboxSettings;
  readonly clock: VirtualClock;
  readonly inventor: Inventor;
  readonly endpoints: WebhookEndpoints;
  readonly webhooks: WebhookSender;
  readonly sessions: SessionStore;
}

/** What a webhook says in addition to its outcome, and how it is sent. */
interface Notification {
  /** Default: invented, and not in the list. */
  readonly row?: TransactionRow | undefined;
  /** How late it is sent. Default `webhookDelaySeconds`. */
  readonly afterSeconds?: number | undefined;
  /** Signed with another key than that of the receiver. Default false. */
  readonly isForged?: boolean;
}

/** Sends the outcome of a session to `WebhookUrl` (spec 4.6) and to the endpoints (section 6). */
export class WebhookNotifier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends as the switches `webhookOutcomes` and `webhookCopies` say. */
  notify(session: CheckoutSession, outcome: WebhookOutcome, notification?: Notification): void {
    if (outcome === 'expired') {
      if (session.isExpiryNotified === true) return;
      session.isExpiryNotified = true;
    }
    this.#repeat(outcome, () => this.send(session, outcome, notification));
  }

  /** A past transaction has no session and so no `WebhookUrl`: only the endpoints are notified of its refund. */
  notifyRefund(id: string, refunded: TransactionRow): void {
    const { sessions, clock } = this.#parts;
    const session = sessions
      .list(clock.now())
      .find(({ transactionIds }) => transactionIds.includes(id));
    const row = { ...refunded, status: STATUS_WITHOUT_ROW.refunded };
    this.#repeat('refunded', () => this.#send('refunded', session, row));
  }

  /** Sends regardless of these two switches. @returns the ids of the webhooks */
  send(
    session: CheckoutSession,
    outcome: WebhookOutcome,
    { row = this.#inventRow(session, outcome), ...how }: Notification = {},
  ): string[] {
    return this.#send(outcome, session, row, how);
  }

  #repeat(outcome: WebhookOutcome, send: () => void): void {
    const { webhookOutcomes, webhookCopies } = this.#parts.settings;
    if (!webhookOutcomes.includes(outcome)) return;
    for (let copy = 0; copy < webhookCopies; copy += 1) send();
  }

  #send(
    outcome: WebhookOutcome,
    session: CheckoutSession | undefined,
    row: TransactionRow,
    { isForged = false, afterSeconds }: Notification = {},
  ): string[] {
    const { accounts, settings, endpoints, webhooks, inventor } = this.#parts;
    const { webhookEvents, webhookPayload, webhookUrlKey } = settings;
    const event = webhookEvents[outcome];
    const content = { event, outcome, session, row };
    const common = {
      event,
      sessionId: session?.id,
      orderId: orderIdOf(session, row),
      afterSeconds,
    };
    const keyOf = (key: string | undefined) =>
      isForged ? inventor.bytes(32).toString('hex') : key;
    const ids: string[] = [];
    const url = session?.request.WebhookUrl;
    if (url !== undefined) {
      const hmacKey = keyOf(webhookUrlKey === 'none' ? undefined : webhookUrlKey);
      ids.push(webhooks.send({ ...common, url, hmacKey, payload: webhookPayload(content) }));
    }
    for (const endpoint of endpoints.list()) {
      const { webhookId: endpointId, url, events, resellerId } = endpoint;
      const isOfOther =
        resellerId !== undefined && accounts.resellerOf(row.merchantId) !== resellerId;
      if (isOfOther) continue;
      if (events.length > 0 && !events.includes(event)) continue;
      const hmacKey = keyOf(endpoint.hmacKey);
      const payload = webhookPayload({ ...content, endpoint });
      ids.push(webhooks.send({ ...common, url, hmacKey, payload, endpointId }));
    }
    return ids;
  }

  #inventRow(session: CheckoutSession, outcome: WebhookOutcome): TransactionRow {
    const { clock, inventor } = this.#parts;
    const card = { last4Digits: '0000', holder: 'Robin Sample' };
    const row = makePaidRow({ session, card, scenario: {}, inventor, time: clock.nowText() });
    return { ...row, status: STATUS_WITHOUT_ROW[outcome] };
  }
}
