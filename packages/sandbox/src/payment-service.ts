import { setTimeout as pause } from 'node:timers/promises';
import type { VirtualClock } from './clock.js';
import type { CheckoutSession, PayingCard } from './resources/session-store.js';
import {
  chooseScenario,
  type ApprovedPayment,
  type Challenge,
  type Decline,
  type Scenario,
} from './scenario.js';
import { makePaidRow } from './paid-row.js';
import type { Inventor } from './random.js';
import type { SandboxSettings } from './settings.js';
import type { TransactionStore } from './transactions/transaction-store.js';
import type { TransactionRow } from './transactions/transaction.js';
import type { WebhookNotifier } from './webhook-notifier.js';

/** The code that passes the 3-D Secure challenge. */
export const CHALLENGE_CODE = '1234';

/** The answer to the card form. A decline is an answer, not an error. */
export type PaymentOutcome =
  | { readonly outcome: 'approved' | 'left'; readonly redirectUrl?: string }
  | { readonly outcome: 'declined'; readonly message: string }
  | { readonly outcome: 'challenge' }
  | { readonly outcome: 'expired' };

interface Parts {
  readonly settings: SandboxSettings;
  readonly clock: VirtualClock;
  readonly inventor: Inventor;
  readonly transactions: TransactionStore;
  readonly notifier: WebhookNotifier;
}

/** Plays the card networks. A session is paid at most once, however often a card is submitted. */
export class PaymentService {
  readonly #parts: Parts;
  readonly #pending = new Map<string, Promise<PaymentOutcome>>();
  /** Answers to challenges that the shopper gives elsewhere, by session. */
  readonly #answersElsewhere = new Map<string, Promise<PaymentOutcome>>();
  #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Pays a session with a card. A second submission gets the outcome of the pending one. */
  async pay(
    session: CheckoutSession,
    card: PayingCard,
    scenarioOfCard: Scenario,
  ): Promise<PaymentOutcome> {
    const earlier = this.#pending.get(session.id) ?? settledOutcome(session);
    if (earlier !== undefined) return earlier;
    const { scenarios } = this.#parts.settings;
    const scenario = chooseScenario(scenarioOfCard, session.request, scenarios);
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
    const { challenge } = session;
    if (challenge === undefined) return decline(session, 'No card is waiting for a code.');
    delete session.challenge;
    if (code === CHALLENGE_CODE) return this.#approve(session, challenge.card);
    const message = 'The code was wrong. Nothing was charged: try again, or another card.';
    return this.#decline(session, message, 'challenge-failed');
  }

  /** Waits for the answer to a 3-D Secure challenge that the shopper gives elsewhere. */
  async awaitChallenge(session: CheckoutSession): Promise<PaymentOutcome> {
    const answer = settledOutcome(session) ?? this.#answersElsewhere.get(session.id);
    return answer ?? decline(session, session.lastRefusal ?? 'No card is waiting for an answer.');
  }

  /** Ends the 3-D Secure challenge without a code. */
  cancelChallenge(session: CheckoutSession): PaymentOutcome {
    const earlier = settledOutcome(session);
    if (earlier !== undefined) return earlier;
    delete session.challenge;
    const message = 'You cancelled the bank’s check. Nothing was charged.';
    return this.#decline(session, message, 'challenge-abandoned');
  }

  /** The shopper leaves by `CancelUrl`. The session stays as it is. */
  cancel(session: CheckoutSession): PaymentOutcome {
    if (session.state === 'open') this.#parts.notifier.notify(session, 'cancelled');
    const { CancelUrl } = session.request;
    return { outcome: 'left', ...(CancelUrl !== undefined && { redirectUrl: CancelUrl }) };
  }

  /** Forgets what is still to happen. */
  clear(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
  }

  async #play(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Scenario,
  ): Promise<PaymentOutcome> {
    delete session.challenge;
    delete session.lastRefusal;
    delete session.declineReason;
    if (scenario.addressCheck !== undefined) session.addressCheck = scenario.addressCheck;
    const seconds = scenario.takesSeconds ?? 0;
    if (seconds > 0) await pause(seconds * 1000, undefined, { ref: false });
    switch (scenario.decision) {
      case 'approve':
        return this.#approve(session, card, scenario);
      case 'decline':
        return this.#declineByCard(session, scenario);
      case 'challenge':
        this.#challenge(session, card, scenario);
        return { outcome: 'challenge' };
      case 'expire':
        session.state = 'expired';
        this.#parts.notifier.notify(session, 'expired');
        void this.#payLater(session, card, scenario.paidAfterSeconds);
        return { outcome: 'expired' };
      case 'leave':
        void this.#payLater(session, card, scenario.paidAfterSeconds);
        return this.cancel(session);
    }
  }

  #challenge(session: CheckoutSession, card: PayingCard, scenario: Challenge): void {
    session.challenge = { card, isElsewhere: scenario.elsewhere !== undefined };
    if (scenario.elsewhere === undefined) return;
    const answer = this.#answerElsewhere(session, card, scenario);
    this.#answersElsewhere.set(session.id, answer);
    void answer.then(() => {
      if (this.#answersElsewhere.get(session.id) === answer) {
        this.#answersElsewhere.delete(session.id);
      }
    });
  }

  async #answerElsewhere(
    session: CheckoutSession,
    card: PayingCard,
    { name, elsewhere }: Challenge,
  ): Promise<PaymentOutcome> {
    const { challenge } = session;
    const { signal } = this.#closing;
    await this.#parts.clock.pause(elsewhere?.afterSeconds ?? 0, signal);
    const earlier = settledOutcome(session);
    if (earlier !== undefined) return earlier;
    // Cancelled, or another card was submitted.
    if (signal.aborted || session.challenge !== challenge) {
      return { outcome: 'declined', message: 'This check has ended.' };
    }
    delete session.challenge;
    const message = elsewhere?.message;
    return message === undefined
      ? this.#approve(session, card)
      : this.#decline(session, message, name);
  }

  /** Pays a session that has ended for the shopper. */
  async #payLater(
    session: CheckoutSession,
    card: PayingCard,
    seconds: number | undefined,
  ): Promise<void> {
    if (seconds === undefined) return;
    const { signal } = this.#closing;
    await this.#parts.clock.pause(seconds, signal);
    if (!signal.aborted && session.state !== 'paid') this.#approve(session, card);
  }

  #approve(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Partial<ApprovedPayment> = {},
  ): PaymentOutcome {
    session.state = 'paid';
    session.redirects = scenario.redirects ?? true;
    delete session.lastRefusal;
    const { webhookAfterSeconds: afterSeconds } = scenario;
    for (let count = scenario.transactions ?? 1; count > 0; count -= 1) {
      const row = this.#addTransaction(session, card, scenario);
      session.transactionIds.push(row.id);
      for (let sent = scenario.webhooks ?? 1; sent > 0; sent -= 1) {
        this.#parts.notifier.notify(session, 'paid', { row, afterSeconds });
      }
    }
    return approved(session);
  }

  #addTransaction(
    session: CheckoutSession,
    card: PayingCard,
    scenario: Partial<ApprovedPayment>,
  ): TransactionRow {
    const { settings, transactions, clock, inventor } = this.#parts;
    const row = makePaidRow({ session, card, scenario, inventor, time: clock.nowText() });
    const hiddenSeconds = scenario.listedAfterSeconds ?? settings.listingDelaySeconds;
    transactions.add(row, clock.now() + hiddenSeconds * 1000);
    return row;
  }

  #declineByCard(session: CheckoutSession, scenario: Decline): PaymentOutcome {
    const { notifier } = this.#parts;
    const { message, name, webhookAfterSeconds: afterSeconds } = scenario;
    notifier.notify(session, 'declined', { afterSeconds });
    if (scenario.forgesPayment === true) notifier.send(session, 'paid', { isForged: true });
    return decline(session, message, name);
  }

  #decline(session: CheckoutSession, message: string, reason?: string): PaymentOutcome {
    this.#parts.notifier.notify(session, 'declined');
    return decline(session, message, reason);
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

function decline(session: CheckoutSession, message: string, reason?: string): PaymentOutcome {
  session.lastRefusal = message;
  if (reason !== undefined) session.declineReason = reason;
  return { outcome: 'declined', message };
}
