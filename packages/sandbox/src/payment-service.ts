import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxContext } from './context.js';
import { inventId } from './random.js';
import { decimalsOf, fromMinor, toJsonNumber, toMinor } from './money.js';
import {
  splitTotal,
  type CheckoutSession,
  type PayingCard,
} from './resources/checkout-sessions.js';
import type { Approval, Scenario } from './scenarios.js';
import type { TransactionRow } from './transactions/transaction.js';

/** The answer to the card form. A decline is an answer, not an error. */
export type PaymentOutcome =
  | { readonly outcome: 'approved'; readonly redirectUrl?: string }
  | { readonly outcome: 'declined'; readonly message: string }
  | { readonly outcome: 'challenge' }
  | { readonly outcome: 'expired' };

type Parts = Pick<SandboxContext, 'settings' | 'clock' | 'transactions' | 'endpoints' | 'webhooks'>;

/** Plays the card networks. A session is paid at most once, however often a card is submitted. */
export class PaymentService {
  readonly #parts: Parts;
  readonly #pending = new Map<string, Promise<PaymentOutcome>>();

  /** How long the list hides new approvals. The control API sets it. */
  listingDelaySeconds = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Pays a session with a card. A second submission gets the outcome of the pending one. */
  async pay(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Scenario,
  ): Promise<PaymentOutcome> {
    const earlier = this.#pending.get(session.id) ?? settledOutcome(session);
    if (earlier !== undefined) return earlier;
    const payment = this.#play(session, card, scenario);
    this.#pending.set(session.id, payment);
    try {
      return await payment;
    } finally {
      this.#pending.delete(session.id);
    }
  }

  /** Ends the 3-D Secure challenge with the code that the shopper typed. */
  answerChallenge(session: CheckoutSession, code: string): PaymentOutcome {
    const earlier = settledOutcome(session);
    if (earlier !== undefined) return earlier;
    const card = session.challenge;
    if (card === undefined) return decline(session, 'No card is waiting for a code.');
    delete session.challenge;
    return code === this.#parts.settings.challengeCode
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

  async #play(
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
    const { transactions, clock } = this.#parts;
    const row = makeTransactionRow(session, card, clock.nowText());
    const hiddenSeconds = scenario.listedAfterSeconds ?? this.listingDelaySeconds;
    transactions.add(row, clock.now() + hiddenSeconds * 1000);
    session.state = 'paid';
    session.transactionId = row.id;
    session.redirects = scenario.redirects ?? true;
    delete session.lastRefusal;
    for (let count = scenario.webhooks ?? 1; count > 0; count -= 1) this.#notify(session, row);
    return approved(session);
  }

  /** Sends the webhook to `WebhookUrl` (spec 4.6) and to the registered endpoints (section 6). */
  #notify(session: CheckoutSession, row: TransactionRow): void {
    const { settings, endpoints, webhooks } = this.#parts;
    const { webhookPayload, webhookFilter } = settings;
    const subject = { sessionId: session.id, orderId: session.request.order_id };
    const url = session.request.WebhookUrl;
    if (url !== undefined)
      webhooks.send({ ...subject, url, payload: webhookPayload(session, row) });
    for (const endpoint of endpoints.list()) {
      if (!webhookFilter(endpoint, row)) continue;
      webhooks.send({
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

/** The row of a paid session: its own data where it has any, invented data otherwise. */
function makeTransactionRow(
  session: CheckoutSession,
  card: PayingCard,
  transactionTime: string,
): TransactionRow {
  const { request, merchant } = session;
  const decimals = decimalsOf(merchant.currency);
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  const deductions = splitTotal(request, decimals);
  const [firstname = '', ...others] = (request.name ?? card.holder).split(' ');
  const zero = fromMinor(0n, decimals);
  return {
    id: inventId('txn'),
    source: 'payments',
    transactionTime,
    ...(request.MerchantReference !== undefined && { orderRef: request.MerchantReference }),
    amount: request.Amount,
    currencyCode: merchant.currency,
    status: 'SUCCESS',
    merchantId: merchant.id,
    merchantName: merchant.name,
    paymentMethod: 'New Card',
    transactionModeId: 1,
    internalReference: inventId('int'),
    pspReference: inventId('psp'),
    last4Digits: card.last4Digits,
    shopperId: request.customer_id ?? inventId('shopper'),
    service_fee: zero,
    firstname: request.firstname ?? firstname,
    lastname: request.lastname ?? others.join(' '),
    resellerOrderId: String(request.order_id),
    customerType: 'guest',
    net: fromMinor(amount - deductions, decimals),
    deductions: fromMinor(deductions, decimals),
    amountRefunded: zero,
  };
}

/**
 * The body of a webhook about a payment. The spec shows neither the shape nor the event names
 * (section 6), so this is an invention that the option `webhookPayload` replaces.
 */
export function makeWebhookPayload(session: CheckoutSession, transaction: TransactionRow): unknown {
  return {
    event: 'payment',
    status: transaction.status,
    session_id: session.id,
    order_id: session.request.order_id,
    MerchantReference: session.request.MerchantReference,
    merchant_id: session.merchant.id,
    transaction_id: transaction.id,
    amount: transaction.amount && toJsonNumber(transaction.amount),
    currencyCode: transaction.currencyCode,
  };
}
