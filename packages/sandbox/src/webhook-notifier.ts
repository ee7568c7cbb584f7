import type { SandboxContext } from './context.js';
import { makePaidRow } from './paid-row.js';
import type { CheckoutSession } from './resources/checkout-sessions.js';
import type { WebhookOutcome } from './switches.js';
import type { TransactionRow } from './transactions/transaction.js';

/** `status` of a webhook about what is no transaction. The spec shows none (sections 3 and 6). */
const STATUS_WITHOUT_ROW = {
  paid: 'SUCCESS',
  refunded: 'REFUNDED',
  declined: 'FAILED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
} as const satisfies Record<WebhookOutcome, string>;

type Parts = Pick<
  SandboxContext,
  'settings' | 'clock' | 'inventor' | 'endpoints' | 'webhooks' | 'sessions'
>;

/** What a webhook says beside its session. */
interface Notification {
  /** Default: invented, and not in the list. */
  readonly row?: TransactionRow | undefined;
  /** Signed with another key than that of the receiver. Default false. */
  readonly isForged?: boolean;
}

/** Sends what became of a session to `WebhookUrl` (spec 4.6) and to the endpoints (section 6). */
export class WebhookNotifier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends as the switches `webhookOutcomes` and `webhookCopies` say. */
  notify(session: CheckoutSession, outcome: WebhookOutcome, row?: TransactionRow): void {
    const { webhookOutcomes, webhookCopies } = this.#parts.settings;
    if (outcome === 'expired') {
      if (session.isExpiryNotified === true) return;
      session.isExpiryNotified = true;
    }
    if (!webhookOutcomes.includes(outcome)) return;
    for (let copy = 0; copy < webhookCopies; copy += 1) this.send(session, outcome, { row });
  }

  /** Refunds of the history have no session, and no webhook. */
  notifyRefund(id: string, row: TransactionRow): void {
    const { sessions, clock } = this.#parts;
    const session = sessions.list(clock.now()).find(({ transactionId }) => transactionId === id);
    if (session !== undefined) this.notify(session, 'refunded', { ...row, status: 'REFUNDED' });
  }

  /** Sends regardless of the switches. @returns the ids of the webhooks */
  send(
    session: CheckoutSession,
    outcome: WebhookOutcome,
    { row = this.#inventRow(session, outcome), isForged = false }: Notification = {},
  ): string[] {
    const { settings, endpoints, webhooks, inventor } = this.#parts;
    const { webhookPayload, webhookFilter, webhookUrlKey } = settings;
    const subject = { sessionId: session.id, orderId: session.request.order_id };
    const keyOf = (key: string | undefined) =>
      isForged ? { hmacKey: inventor.bytes(32).toString('hex') } : key && { hmacKey: key };
    const url = session.request.WebhookUrl;
    const ids: string[] = [];
    if (url !== undefined) {
      const key = webhookUrlKey === 'none' ? undefined : webhookUrlKey;
      const payload = webhookPayload(session, row);
      ids.push(webhooks.send({ ...subject, ...keyOf(key), url, payload }));
    }
    for (const endpoint of endpoints.list()) {
      if (!webhookFilter(endpoint, row)) continue;
      const payload = webhookPayload(session, row, endpoint);
      const { webhookId: endpointId, hmacKey, url: to } = endpoint;
      ids.push(webhooks.send({ ...subject, endpointId, ...keyOf(hmacKey), url: to, payload }));
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
