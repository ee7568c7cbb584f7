import { hashToken, randomId } from '../random-id.js';

/** The four addresses that an attempt gives to the provider; only hashes of them are stored. */
export interface AttemptTokens {
  readonly return: string;
  readonly cancel: string;
  readonly back: string;
  readonly webhook: string;
}

/** A token as a store finds it: where to search, and the hash that must be there. */
export interface StoredToken {
  /** The attempt that it claims to belong to, which is no secret; undefined when it names none. */
  readonly orderId: number | undefined;
  readonly hash: string;
}

/** 128 bits in base64url. */
const SECRET_CHARS = 22;

/**
 * Four new tokens of an attempt, each with 128 random bits of its own; the attempt behind those
 * saves every store an index of all tokens.
 */
export function makeTokens(orderId: number): AttemptTokens {
  const place = orderId.toString(36);
  const token = (): string => `${randomId()}${place}`;
  return { return: token(), cancel: token(), back: token(), webhook: token() };
}

/** How a received token is found; it may be any text. */
export function toStoredToken(token: string): StoredToken {
  const place = token.slice(SECRET_CHARS);
  const orderId = /^[0-9a-z]{1,10}$/.test(place) ? Number.parseInt(place, 36) : undefined;
  return { orderId, hash: hashToken(token) };
}

/** `MerchantReference` (spec 4.6) of an attempt: as unique as its `order_id`, which it ends with. */
export function merchantReferenceOf(order: string, orderId: number): string {
  return `${order}.${String(orderId)}`;
}

/** The two names that a transaction may give to an attempt. */
export function namesOf(attempt: {
  readonly orderId: number;
  readonly merchantReference: string;
}): readonly [string, string] {
  return [String(attempt.orderId), attempt.merchantReference];
}

/** A text that looks like a `MerchantReference` of ours: an order, a dot, an `order_id`. */
export const MERCHANT_REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.[1-9]\d{0,14}$/;

/** Every `order_id` that one of the references is, or ends with: whom they may name. */
export function orderIdsIn(references: readonly string[]): number[] {
  return references.flatMap((reference) => {
    const digits = /(?:^|\.)(\d{1,15})$/.exec(reference)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}
