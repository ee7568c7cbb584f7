import type { AvsInput } from '../contract.js';
import type { Merchant } from '../merchants/merchant.js';
import type { ShopOrder } from '../orders/order-lookup.js';
import type { Reader } from '../store/database.js';
import { type AttemptRequest, compareAttempts, findAttempts } from './attempt-repository.js';
import { isReusable } from './opening-rules.js';
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
  /\b(?:flat|apartment|apt|appt|unit|studio|room|suite|lgh|wohnung|whg)(?![a-z])\.?\s*(?:no\b\.?\s*)?([a-z]?\d+(?:\/\d+)?[a-z]?|[a-z])\b([\s,]*)/i;
/** A flat that is named by where it is; the number after it is the house's. */
const NAMED_FLAT =
  /\b((?:top|upper|lower|ground|basement|garden|attic|front|rear|first|second|third|\d(?:st|nd|rd|th))(?:\s+floor)?)\s+flat\b[\s,]*/i;
/** Scottish "floor/flat" before a house number: `3/2, 14 …`. */
const FLOOR_AND_FLAT = /^\s*(\d+\/\d+)[\s,]+(?=\d)/;
/** A part of a site, which has house numbers of its own or none. */
const BLOCK =
  /\b(?:block|tower|building|staircase|stair|entrance)\s+(?:[a-z]|\d{1,3}[a-z]?)\b[\s,]*/gi;
const POST_BOX = /\bp\.?\s*o\.?\s*box\b/i;
/** A number before the street: `12`, `12a`, `12 A`, `12 bis`, `1-3`; not `12½`, `12 1/2`, `12 & 14`. */
const LEADING_NUMBER =
  /^(?:no\.?\s*|number\s+|#\s*)?(?<from>\d{1,5})(?:\s?(?<letter>[a-z])(?!\p{L})|(?<repeated>\s(?:bis|ter))\b)?(?:\s*[-–]\s*(?<to>\d+[a-z]?))?(?=$|\s)(?!\s+(?:\d+\/\d|&|and\b))/iu;
/** A number after the street: `12`, `12a`, `12/A`, `12-14`, `nº 12`, `12.`. */
const TRAILING_NUMBER =
  /^(?<street>.+?)\s+(?:n[ºo°r]?\.?\s*)?(?<from>\d{1,4})(?:\s?\/?(?<letter>[a-z]))?(?:\s*[-–]\s*(?<to>\d+[a-z]?))?\.?$/iu;
/** What the name of a street ends with where a number may follow it. */
const STREET_END =
  /\p{L}{2,}[\s-]?(?:stra(?:ß|ss)e|str\.?|weg|platz|allee|gasse|ufer|damm|gracht|straat|laan|plein|kade|dijk|singel|steeg|gade|vej|gatan|gata|vägen|veien|katu|tie|utca|lane|road|street|avenue|drive|close)$/iu;
/** What it begins with. */
const STREET_START =
  /^(?:via|viale|piazza|corso|calle|c\/|avenida|avda\.?|av\.?|plaza|paseo|rua|rue|avenue|boulevard|ul\.?|ulica|stra(?:ß|ss)e|am|im|an de[rn]|in de[rn]|auf de[rn]|unter den|zum|zur)\s+\p{L}{2,}/iu;
/** A Dutch number with its addition: `174-2` is the second home of number 174. */
const DUTCH_STREET = /(?:gracht|straat|laan|plein|kade|dijk|singel|steeg)$/i;
const UK_POSTCODE = /^([A-Z]{1,2}\d[A-Z\d]?|GIR)(\d[A-Z]{2})$/;

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
  if (checkouts.some((one) => one.state === 'paid' || isPaymentPending(one))) return false;
  const same = checkouts.find(({ orderVersion }) => orderVersion === request.orderVersion);
  if (!same || isCertain(same.state)) return true;
  const attempts = await findAttempts(reader, same.id);
  const shown = attempts.toSorted(compareAttempts).at(-1);
  const isShown = shown && (shown.status === 'active' || isReusable(shown));
  return !isShown || shown.sessionId === request.renew;
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

interface Derived {
  readonly house?: string;
  readonly flat?: string;
}

function readLine(line: string): Derived {
  if (POST_BOX.test(line)) return {};
  const floor = FLOOR_AND_FLAT.exec(line);
  if (floor) return { flat: floor[1] ?? '', ...findHouse(line.slice(floor[0].length)) };
  const named = NAMED_FLAT.exec(line);
  if (named) {
    return { flat: (named[1] ?? '').toUpperCase(), ...findHouse(line.replace(NAMED_FLAT, ', ')) };
  }
  const flat = FLAT_WORD.exec(line);
  if (!flat) return findHouse(line);
  const found = findHouse(line.replace(FLAT_WORD, ', '));
  const after = line.slice(flat.index + flat[0].length);
  // `Flat 7 Mill Lane` may be flat 7, or a flat at number 7.
  const isUnsure = found.house === undefined && after !== '' && !(flat[2] ?? '').includes(',');
  return isUnsure ? {} : { flat: (flat[1] ?? '').toUpperCase(), ...found };
}

/** The house number of a line without its flat; none when two numbers may be it. */
function findHouse(line: string): Derived {
  const parts = line.replace(BLOCK, ', ').split(',');
  const found = parts.flatMap((part) => readNumber(part.trim()) ?? []);
  return found.length === 1 ? (found[0] ?? {}) : {};
}

function readNumber(part: string): Derived | undefined {
  const leading = LEADING_NUMBER.exec(part)?.groups;
  const found = leading ?? TRAILING_NUMBER.exec(part)?.groups;
  if (!found) return undefined;
  const { street = part, from = '', letter = '', repeated = '', to } = found;
  const isStreet = STREET_END.test(street) || STREET_START.test(street);
  if (!leading && !isStreet) return undefined;
  // Four digits before a name are as likely the postcode of a town, and five are.
  const isPostcode = from.length > 4 || (from.length === 4 && !isStreet && part !== from);
  if (isPostcode) return undefined;
  const house = `${from}${letter}${repeated}`.toUpperCase();
  if (to === undefined) return { house };
  if (parseInt(to) > Number(from)) return { house: `${house}-${to}`.toUpperCase() };
  return !leading && DUTCH_STREET.test(street) ? { house, flat: to } : undefined;
}

function tidy(text: string | undefined): string | undefined {
  const tidied = text?.replace(/\s+/g, ' ').trim();
  return tidied === '' ? undefined : tidied;
}
