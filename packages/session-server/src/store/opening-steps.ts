import type { Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import type { AttemptDecision, AttemptRequest, StoreRules } from '../checkouts/repository.js';
import { type OpeningPlan, type OrderHistory, planOpening } from '../checkouts/opening-rules.js';
import { timedId } from '../random-id.js';
import type { FoundAttempt } from '../restore/restore-store.js';
import type { AttemptTable } from './attempt-table.js';
import type { CheckoutTable } from './checkout-table.js';
import type { WebhookTable } from './webhook-table.js';

export interface OpeningStepsOptions {
  readonly checkouts: CheckoutTable;
  readonly attempts: AttemptTable;
  readonly deliveries: WebhookTable;
  readonly rules: StoreRules;
}

/** Decides about an opening and writes what follows from it, inside the caller's step. */
export class OpeningSteps {
  readonly #checkouts: CheckoutTable;
  readonly #attempts: AttemptTable;
  readonly #deliveries: WebhookTable;
  readonly #rules: StoreRules;

  constructor(options: OpeningStepsOptions) {
    this.#checkouts = options.checkouts;
    this.#attempts = options.attempts;
    this.#deliveries = options.deliveries;
    this.#rules = options.rules;
  }

  begin(request: AttemptRequest, now: number): AttemptDecision {
    const plan = planOpening(this.#historyOf(request, now), request, now, this.#rules);
    return this.#carryOut(plan, request, now);
  }

  /** An attempt that was lost and is found again belongs to the checkout of its price, also a new one. */
  adopt(found: FoundAttempt, now: number): void {
    if (this.#attempts.has(found.orderId)) return;
    const { request } = found;
    const checkout =
      this.#checkouts
        .findOrder(request.merchant, request.order)
        .find(({ orderVersion }) => orderVersion === request.orderVersion) ??
      this.#insertCheckout(request, now, found.createdAt);
    this.#attempts.insertFound(found, checkout.id, now);
    this.#deliveries.unparkFor(found, now);
  }

  /** What is known of an order; one that is new has no attempts to look for. */
  #historyOf({ merchant, order }: AttemptRequest, now: number): OrderHistory {
    const checkouts = this.#checkouts.findOrder(merchant, order);
    if (checkouts.length === 0) return { checkouts, live: undefined, recentRenewals: [] };
    return {
      checkouts,
      live: this.#attempts.findActive(merchant, order),
      recentRenewals: this.#attempts.recentRenewals(merchant, order, now),
    };
  }

  #carryOut(plan: OpeningPlan, request: AttemptRequest, now: number): AttemptDecision {
    switch (plan.kind) {
      case 'wait':
      case 'may-be-paying':
      case 'price-is-old':
      case 'too-many-renewals':
        return plan;
      case 'settled': {
        const facts: CheckoutFact[] = plan.priceChanged
          ? [{ type: 'attention-needed', code: 'price_changed_after_paid' }]
          : [];
        const { after } = this.#checkouts.apply(plan.checkout, facts, now);
        return { kind: 'settled', checkout: after };
      }
      case 'existing': {
        const { after } = this.#checkouts.apply(plan.checkout, [{ type: 'reopened' }], now);
        this.#attempts.watchAgain(plan.attempt.orderId, now);
        return { kind: 'existing', checkout: after, attempt: plan.attempt };
      }
      case 'send': {
        if (plan.retire) this.#attempts.end(plan.retire.orderId, plan.retire.to);
        const checkout = plan.checkout
          ? this.#checkouts.apply(plan.checkout, [{ type: 'reopened' }], now).after
          : this.#insertCheckout(request, now);
        const { isRenewal } = plan;
        const { attempt, tokens } = this.#attempts.insertSending(
          request,
          checkout.id,
          isRenewal,
          now,
        );
        this.#deliveries.unparkFor(attempt, now);
        return { kind: 'send', checkout, attempt, tokens };
      }
    }
  }

  #insertCheckout(request: AttemptRequest, now: number, createdAt = now): Checkout {
    const checkout: Checkout = {
      id: timedId(now),
      merchant: request.merchant,
      order: request.order,
      orderVersion: request.orderVersion,
      shopVersion: request.shopVersion,
      amountMinor: request.amountMinor,
      currency: request.currency,
      decimals: request.decimals,
      state: 'open',
      revision: 1,
      sequence: 0,
      refund: 'none',
      attention: [],
      returnUrl: request.returnUrl,
      createdAt,
      expiresAt: now + this.#rules.expireAfterSeconds * 1000,
    };
    this.#checkouts.insert(checkout);
    return checkout;
  }
}
