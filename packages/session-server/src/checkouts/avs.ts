import type { AvsInput } from '../contract.js';
import type { Merchant } from '../merchants/merchant.js';
import type { ShopOrder } from '../orders/order-lookup.js';
import type { Reader } from '../store/database.js';
import { type AttemptRequest, findAttempts } from './attempt-repository.js';
import { findCheckoutsOfOrder } from './repository.js';
import { isCertain, isPaymentPending } from './state-machine.js';

/** An address as a shop gives it. */
export interface OrderAddress {
  readonly houseNumber?: string | undefined;
  readonly postcode?: string | undefined;
  readonly flat?: string | undefined;
  readonly address1?: string | undefined;
  readonly address2?: string | undefined;
}

/** The address fields of `/create-session` (spec 4.6). What is not known is left out. */
export interface AvsFields {
  readonly AvsHouseNumber?: string;
  readonly AvsPostcode?: string;
  readonly flat?: string;
  readonly address1?: string;
  readonly address2?: string;
}

/** A flat and its name: `Flat 2`, `Apt. 3B`, `Flat A`, `Unit B4`, `Flat 2/1`; not `Flats`, not `Unity`. */
const FLAT_WORD =
  /\b(?:flat|apartment|apt|unit|studio|room|suite)(?![a-z])\.?\s*(?:no\b\.?\s*)?([a-z]?\d+(?:\/\d+)?[a-z]?|[a-z])\b[\s,]*/i;
/** Scottish "floor/flat" before a house number: `3/2, 14 …`. */
const FLOOR_AND_FLAT = /^\s*(\d+\/\d+)[\s,]+(?=\d)/;
const POST_BOX = /\bp\.?\s*o\.?\s*box\b/i;
/** A number at the start of a part: `12`, `12a`, `12 A`, `1-3`, `12½` is not one. */
const HOUSE_NUMBER =
  /^(?:no\.?\s*|number\s+|#\s*)?(\d+)(?:\s?([a-z])(?![a-z]))?(?:\s*[-–/]\s*(\d+)([a-z])?)?(?=$|[\s,])/i;
const UK_POSTCODE = /^([A-Z]{1,2}\d[A-Z\d]?)(\d[A-Z]{2})$/;

/**
 * The address fields: taken from the shop where it gives them, otherwise derived from its address
 * lines; never guessed and never empty.
 */
export function deriveAvs(address: OrderAddress): AvsFields {
  const lines = [address.address1, address.address2].map(tidy);
  const [address1, address2] = lines;
  const found = lines.map((line) => (line === undefined ? {} : readLine(line)));
  const houseNumber = normalizeHouse(address.houseNumber) ?? found.find((f) => f.house)?.house;
  const flat = tidy(address.flat) ?? found.find((f) => f.flat)?.flat;
  const postcode = normalizePostcode(address.postcode);
  return {
    ...(houseNumber === undefined ? {} : { AvsHouseNumber: houseNumber }),
    ...(postcode === undefined ? {} : { AvsPostcode: postcode }),
    ...(flat === undefined ? {} : { flat }),
    ...(address1 === undefined ? {} : { address1 }),
    ...(address2 === undefined ? {} : { address2 }),
  };
}

/**
 * The address fields of an order; what the shopper typed into the element comes first.
 * A browser may have filled in a whole line where the house number was asked for.
 */
export function toAvsFields(order: ShopOrder, typed: AvsInput | undefined): AvsFields {
  if (!order.address && !typed) return {};
  const line = deriveAvs({ address1: typed?.houseNumber });
  return deriveAvs({
    ...order.address,
    ...(line.flat && { flat: line.flat }),
    ...typed,
    ...(line.AvsHouseNumber && { houseNumber: line.AvsHouseNumber }),
  });
}

/**
 * Whether the shopper must type an address before a session is created. A shopper who needs no new
 * session is not asked: the order is paid, a payment is pending, or its session is open already,
 * perhaps in another window.
 */
export async function needsAddress(
  merchant: Merchant,
  avs: AvsFields,
  request: AttemptRequest,
  reader: Reader,
): Promise<boolean> {
  if (merchant.avs !== 'required' || (avs.AvsHouseNumber && avs.AvsPostcode)) return false;
  const checkouts = await findCheckoutsOfOrder(reader, request.merchant, request.order);
  if (checkouts.some(({ state }) => state === 'paid' || isPaymentPending(state))) return false;
  const same = checkouts.find(({ orderVersion }) => orderVersion === request.orderVersion);
  if (!same || isCertain(same.state)) return true;
  const attempts = await findAttempts(reader, same.id);
  const active = attempts.find(({ status }) => status === 'active');
  return active === undefined || active.sessionId === request.renew;
}

/** Upper case, single spaces; a UK postcode gets its one space in the right place. */
export function normalizePostcode(postcode: string | undefined): string | undefined {
  const tidied = tidy(postcode)?.toUpperCase();
  const uk = UK_POSTCODE.exec(tidied?.replaceAll(' ', '') ?? '');
  return uk ? `${uk[1] ?? ''} ${uk[2] ?? ''}` : tidied;
}

/** Upper case; a number and its letter written together: `12 a` is `12A`. */
function normalizeHouse(house: string | undefined): string | undefined {
  return tidy(house)
    ?.toUpperCase()
    .replace(/^(\d+) ([A-Z])$/, '$1$2');
}

function readLine(line: string): { house?: string; flat?: string } {
  const floor = FLOOR_AND_FLAT.exec(line);
  const word = FLAT_WORD.exec(line);
  const flat = floor?.[1] ?? word?.[1]?.toUpperCase();
  const rest = floor ? line.slice(floor[0].length) : line.replace(FLAT_WORD, '');
  const house = POST_BOX.test(rest) ? undefined : findHouseNumber(rest);
  return {
    ...(house === undefined ? {} : { house }),
    ...(flat === undefined ? {} : { flat }),
  };
}

function findHouseNumber(text: string): string | undefined {
  for (const part of text.split(',')) {
    const match = HOUSE_NUMBER.exec(part.trim());
    if (!match) continue;
    const [, from = '', letter = '', to, toLetter = ''] = match;
    // `3/2` and `14/3` name a flat too: which number is the house’s is unknown.
    if (to !== undefined && Number(to) <= Number(from)) continue;
    const range = to === undefined ? '' : `-${to}${toLetter}`;
    return `${from}${letter}${range}`.toUpperCase();
  }
  return undefined;
}

function tidy(text: string | undefined): string | undefined {
  const tidied = text?.replace(/\s+/g, ' ').trim();
  return tidied === '' ? undefined : tidied;
}
