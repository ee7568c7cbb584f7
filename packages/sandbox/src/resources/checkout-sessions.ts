import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { invalidBody, parseBody, type FieldError } from '../http/errors.js';
import { decimalsOf, toMinor } from '../money.js';
import { text } from '../schemas.js';
import { requireMerchant } from './merchants.js';
import {
  createSessionRequest,
  splitTotal,
  type CheckoutSession,
  type CreateSessionRequest,
} from './session-store.js';

const SECTION = 'section 4.6';

/** The reply (spec 2.4). */
export const createSessionReply = z.object({ session_id: text });

/**
 * `POST /create-session` (spec 4.6). The spec shows no idempotency, so this plays the worst case:
 * the same `order_id` sent twice opens two sessions, and both can be paid.
 */
export function checkoutSessionRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    '/create-session',
    ...acceptCall(context, 'create-session'),
    async (httpRequest, response) => {
      const entry = loggedRequestOf(response);
      const checked = checkRequest(context, httpRequest.body, resellerOfCall(response));
      const { request, merchant } = checked;
      entry.orderId = request.order_id;
      entry.merchantId = merchant.id;
      await answerCall(context, 'create-session', response, () => {
        const id = addSession(context, checked);
        entry.sessionId = id;
        return { session_id: id };
      });
    },
  );
}

type CheckedRequest = Pick<CheckoutSession, 'request' | 'merchant'>;

/**
 * Refuses what the operation refuses.
 *
 * @param resellerId whose merchants the caller knows; undefined: all
 */
export function checkRequest(
  context: SandboxContext,
  body: unknown,
  resellerId?: number,
): CheckedRequest {
  const request = parseRequest(body, context);
  const merchant = requireMerchant(context, request.merchant_id, 'merchant_id', resellerId);
  checkMoney(request, decimalsOf(merchant.currency));
  return { request, merchant };
}

/** @returns the id of the new session */
export function addSession(
  { settings, sessions, clock, notifier }: SandboxContext,
  checked: CheckedRequest,
): string {
  const createdAt = clock.now();
  const lifetime = settings.sessionLifetimeSeconds;
  const id = sessions.add({ ...checked, createdAt, expiresAt: createdAt + lifetime * 1000 });
  void clock.pause(lifetime).then(() => {
    const session = sessions.find(id, clock.now());
    if (session?.state === 'expired') notifier.notify(session, 'expired');
  });
  return id;
}

function parseRequest(body: unknown, { settings }: SandboxContext): CreateSessionRequest {
  const request = parseBody(createSessionRequest, body, SECTION);
  const missing = settings.requiredFields.filter((field) => request[field] === undefined);
  refuse(missing.map((field) => ({ field, message: 'is required by this sandbox' })));
  return request;
}

function checkMoney(request: CreateSessionRequest, decimals: number): void {
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  if (amount <= 0n) {
    const message = `expected a positive decimal with at most ${decimals} decimals, for example "12.34"`;
    refuse([{ field: 'Amount', message }]);
  }
  refuse(
    (request.SplitFee ?? []).flatMap(({ value, value_type: type }, index) =>
      type === 'amount' && toMinor(String(value), decimals) === undefined
        ? {
            field: `SplitFee.${index}.value`,
            message: `expected an amount with at most ${decimals} decimals`,
          }
        : [],
    ),
  );
  if (splitTotal(request, decimals) > amount) {
    refuse([{ field: 'SplitFee', message: 'the values add up to more than Amount' }]);
  }
}

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw invalidBody(SECTION, ...fields);
}
