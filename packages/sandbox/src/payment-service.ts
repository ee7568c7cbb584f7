import { setTimeout as pause } from 'node:timers/promises';
import type { CheckoutSession, PayingCard } from './checkout-session.js';
import type { VirtualClock } from './clock.js';
import { makeTransactionRow, type TransactionRow } from './resources/transaction-row.js';
import type { Approval, Scenario } from './scenarios.js';
import type { SandboxSettings } from './settings.js';
import type { TransactionStore } from './transaction-store.js';
import type { WebhookEndpoints } from './webhooks/webhook-endpoints.js';
import type { WebhookSender } from './webhooks/webhook-sender.js';

/** What the form learns. A decline is an answer, not an error. */
export type PaymentOutcome =
  | { readonly outcome: 'approved'; readonly redirectUrl?: string }
  | { readonly outcome: 'declined'; readonly message: string }
  | { readonly outcome: 'challenge' }
  | { readonly outcome: 'expired' };

/** Plays the card networks: each session is paid at most once, whatever is sent how often. */
export class PaymentService {
  readonly #settings: SandboxSettings;
  readonly #clock: VirtualClock;
  readonly #transactions: TransactionStore;
  readonly #endpoints: WebhookEndpoints;
  readonly #webhooks: WebhookSender;
  readonly #underWay = new Map<string, Promise<PaymentOutcome>>();

  /** How long the list hides what is approved from now on. Set through the control API. */
  listingDelaySeconds = 0;

  constructor(parts: {
    settings: SandboxSettings;
    clock: VirtualClock;
    transactions: TransactionStore;
    webhooks: WebhookSender;
    endpoints: WebhookEndpoints;
  }) {
    this.#settings = parts.settings;
    this.#clock = parts.clock;
    this.#transactions = parts.transactions;
    this.#endpoints = parts.endpoints;
    this.#webhooks = parts.webhooks;
  }

  /** Pays a session with a card. While one card is being asked, a second one gets its answer. */
  async pay(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Scenario,
  ): Promise<PaymentOutcome> {
    const earlier = this.#underWay.get(session.id) ?? settledOutcome(session);
    if (earlier !== undefined) return earlier;
    const payment = this.#ask(session, card, scenario);
    this.#underWay.set(session.id, payment);
    try {
      return await payment;
    } finally {
      this.#underWay.delete(session.id);
    }
  }

  /** Ends the 3-D Secure challenge with the code that the shopper typed. */
  answerChallenge(session: CheckoutSession, code: string): PaymentOutcome {
    const earlier = settledOutcome(session);
    if (earlier !== undefined) return earlier;
    const card = session.challenge;
    if (card === undefined) return decline(session, 'There is no bank check to answer.');
    delete session.challenge;
    return code === this.#settings.challengeCode
      ? this.#approve(session, card, {})
      : decline(session, 'The code was wrong. Nothing was charged: try again, or another card.');
  }

  /** Ends the 3-D Secure challenge without a code. */
  cancelChallenge(session: CheckoutSession): PaymentOutcome {
    const earlier = settledOutcome(session);
    if (earlier !== undefined) return earlier;
    delete session.challenge;
    return decline(session, 'You cancelled the bank’s check. Nothing was charged.');
  }

  async #ask(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Scenario,
  ): Promise<PaymentOutcome> {
    delete session.challenge;
    delete session.lastRefusal;
    const seconds = scenario.takesSeconds ?? 0;
    if (seconds > 0) await pause(seconds * 1000, undefined, { ref: false });
    switch (scenario.decision) {
      case 'approve':
        return this.#approve(session, card, scenario);
      case 'decline':
        return decline(session, scenario.message);
      case 'challenge':
        session.challenge = card;
        return { outcome: 'challenge' };
      case 'expire':
        session.state = 'expired';
        return { outcome: 'expired' };
    }
  }

  #approve(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Pick<Approval, 'listedAfterSeconds' | 'webhooks' | 'redirects'>,
  ): PaymentOutcome {
    const row = makeTransactionRow(session, card, this.#clock.nowText());
    const hiddenSeconds = scenario.listedAfterSeconds ?? this.listingDelaySeconds;
    this.#transactions.add(row, this.#clock.now() + hiddenSeconds * 1000);
    session.state = 'paid';
    session.transactionId = row.id;
    session.redirects = scenario.redirects ?? true;
    delete session.lastRefusal;
    for (let count = scenario.webhooks ?? 1; count > 0; count -= 1) this.#tell(session, row);
    return approved(session);
  }

  /** Sends the webhook to `WebhookUrl` (spec 4.6) and to the registered endpoints (section 6). */
  #tell(session: CheckoutSession, row: TransactionRow): void {
    const subject = { sessionId: session.id, orderId: session.request.order_id };
    const { webhookPayload, webhookFilter } = this.#settings;
    const url = session.request.WebhookUrl;
    if (url !== undefined) {
      this.#webhooks.send({ ...subject, url, payload: webhookPayload(session, row) });
    }
    for (const endpoint of this.#endpoints.list()) {
      if (!webhookFilter(endpoint, row)) continue;
      this.#webhooks.send({
        ...subject,
        endpointId: endpoint.webhookId,
        url: endpoint.url,
        hmacKey: endpoint.hmacKey,
        payload: webhookPayload(session, row, endpoint),
      });
    }
  }
}

function settledOutcome(session: CheckoutSession): PaymentOutcome | undefined {
  if (session.state === 'paid') return approved(session);
  return session.state === 'expired' ? { outcome: 'expired' } : undefined;
}

function approved(session: CheckoutSession): PaymentOutcome {
  const url = session.request.RedirectUrl;
  return session.redirects && url !== undefined
    ? { outcome: 'approved', redirectUrl: url }
    : { outcome: 'approved' };
}

function decline(session: CheckoutSession, message: string): PaymentOutcome {
  session.lastRefusal = message;
  return { outcome: 'declined', message };
}
