import type { SandboxContext } from '../context.js';
import { ApiError } from '../http/errors.js';
import { decimalsOf, toMinor } from '../money.js';
import type { PaymentOutcome } from '../payment-service.js';
import { addSession, checkRequest } from '../resources/checkout-sessions.js';
import type { CheckoutSession } from '../resources/session-store.js';
import { workOutSplit } from '../split-fee.js';
import { makeTimeline } from './timeline.js';
import { visit, type Visit } from './visit.js';

/** Which sessions to list. */
export interface SessionQuery {
  readonly state?: string | undefined;
  /** Text in what the list shows, in any case. */
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

/** A session as the control API shows it: no name, e-mail or address. */
export type SessionSummary = ReturnType<typeof summarizeSession>;

/** Checkout sessions, and what a shopper does with them. */
export function sessionControl(context: SandboxContext) {
  const { clock, notifier, payments, settings } = context;
  const find = (id: string): CheckoutSession => findSession(context, id);
  const list = (): SessionSummary[] => context.sessions.list(clock.now()).map(summarizeSession);
  return {
    /** All sessions, oldest first. */
    sessions: list,

    /** The newest `limit` sessions that have the text, oldest first, without the newest `skip` of them. */
    listSessions({ search = '', state, limit = Infinity, skip = 0 }: SessionQuery) {
      const words = search.toLowerCase();
      const found = list().filter(
        (session) =>
          (state === undefined || session.state === state) &&
          (words === '' || JSON.stringify(session).toLowerCase().includes(words)),
      );
      const end = Math.max(found.length - skip, 0);
      return { sessions: found.slice(Math.max(end - limit, 0), end), total: found.length };
    },

    /** Creates a session without a call of the API: no key, no fault, not in the record. */
    createSession(body: unknown): SessionSummary {
      return summarizeSession(find(addSession(context, checkRequest(context, body))));
    },

    /** A session with all its fields, its split worked out, and what happened to it. */
    describeSession(id: string) {
      const session = find(id);
      const { request, merchant } = session;
      const decimals = decimalsOf(merchant.currency);
      const amount = toMinor(request.Amount, decimals) ?? 0n;
      return {
        ...summarizeSession(session),
        expiresAt: new Date(session.expiresAt).toISOString(),
        merchantName: merchant.name,
        request,
        split: request.SplitFee && workOutSplit(amount, request.SplitFee, decimals),
        lastRefusal: session.lastRefusal,
        transactionIds: session.transactionIds,
        timeline: makeTimeline(context, session),
      };
    },

    /**
     * Submits the card of a scenario, as the shopper would.
     *
     * @param isShopperBack whether the shopper's browser then opens `RedirectUrl`. Default true.
     * @throws {ApiError} 404 for an unknown session, 400 for an unknown scenario
     */
    async pay(
      sessionId: string,
      scenarioName = 'approved',
      isShopperBack = true,
    ): Promise<PaymentOutcome & { readonly visit?: Visit }> {
      const session = find(sessionId);
      const scenario = settings.scenarios.find(({ name }) => name === scenarioName);
      if (scenario === undefined) {
        const names = settings.scenarios.map(({ name }) => name).join(', ');
        throw new ApiError(400, 'There is no such scenario.', {
          fields: [{ field: 'scenario', message: `expected ${names}` }],
        });
      }
      const card = { last4Digits: scenario.cardNumber.slice(-4), holder: 'Robin Sample' };
      const outcome = await payments.pay(session, card, scenario);
      const url = 'redirectUrl' in outcome ? outcome.redirectUrl : undefined;
      return isShopperBack && url !== undefined ? { ...outcome, visit: await visit(url) } : outcome;
    },

    /** The shopper leaves by `CancelUrl` or `backurl`. The session stays open. */
    async leave(
      sessionId: string,
      by: 'CancelUrl' | 'backurl',
    ): Promise<SessionSummary & { readonly visit: Visit }> {
      const session = find(sessionId);
      const url = session.request[by];
      if (url === undefined) throw new ApiError(409, `This session has no ${by}.`);
      if (by === 'CancelUrl') payments.cancel(session);
      return { ...summarizeSession(session), visit: await visit(url) };
    },

    /** An open session can no longer be paid. */
    expire(sessionId: string): SessionSummary {
      const session = find(sessionId);
      if (session.state === 'open') {
        session.state = 'expired';
        notifier.notify(session, 'expired');
      }
      return summarizeSession(session);
    },
  };
}

/** @throws {ApiError} 404 for an unknown session */
export function findSession({ sessions, clock }: SandboxContext, id: string): CheckoutSession {
  const session = sessions.find(id, clock.now());
  if (session === undefined) throw new ApiError(404, 'There is no session with this id.');
  return session;
}

function summarizeSession(session: CheckoutSession) {
  const { request, merchant } = session;
  return {
    session_id: session.id,
    createdAt: new Date(session.createdAt).toISOString(),
    state: session.state,
    merchant_id: merchant.id,
    order_id: request.order_id,
    MerchantReference: request.MerchantReference,
    Amount: request.Amount,
    currency: merchant.currency,
    RedirectUrl: request.RedirectUrl,
    CancelUrl: request.CancelUrl,
    backurl: request.backurl,
    WebhookUrl: request.WebhookUrl,
    transactionId: session.transactionIds[0],
    declineReason: session.declineReason,
    addressCheck: session.addressCheck,
  };
}
