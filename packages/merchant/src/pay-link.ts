/**
 * Pay by link: a QR code and a message for the `payUrl` of an order. An entry of its own, so that a shop
 * which uses neither loads nothing of it.
 */
import { encodeQR } from 'qr';
import { invalidArgument } from './errors.js';

/** What a message about a payment link says. */
export interface PayLink {
  /** The shop's name, as shoppers know it. */
  readonly shop: string;
  readonly order: string;
  /** Decimal text in the currency's main unit, as in `orders.put`. */
  readonly amount: string;
  readonly currency: string;
  readonly payUrl: string;
}

/** A message to mail: the same words as text and as HTML. */
export interface PayLinkMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The margin of four modules that ISO/IEC 18004 asks for. */
const QUIET_ZONE_MODULES = 4;

/**
 * The QR code of a payment link as SVG: black on white, so that it scans on a dark page too. It has no
 * size of its own; give it one with CSS, and an accessible name, since the SVG has none.
 *
 * @example
 * response.type('image/svg+xml').send(makeQrCode(payUrl));
 * @throws {PayCheckoutError} `invalid_argument`: not an address that starts with https: or http:
 */
export function makeQrCode(payUrl: string): string {
  const svg = encodeQR(checkPayUrl(payUrl), 'svg', { border: QUIET_ZONE_MODULES });
  return svg.replace('>', '><rect width="100%" height="100%" fill="#fff"/>');
}

/**
 * The message that asks for the payment of an order, in English: subject, text and HTML. Everything in
 * the HTML is escaped. It sends nothing.
 *
 * @throws {PayCheckoutError} `invalid_argument`, with `field`
 */
export function makePayLinkMessage({
  shop,
  order,
  amount,
  currency,
  payUrl,
}: PayLink): PayLinkMessage {
  const url = checkPayUrl(payUrl);
  const price = formatPrice(amount, currency);
  // A header ends at a line break, and a name may have one.
  const subject = `Pay ${shop} for order ${order}`.replaceAll(/\s+/g, ' ');
  const request = `${shop} asks you to pay ${price} for order ${order}.`;
  return {
    subject,
    text: `${request}\n\nPay here:\n${url}\n`,
    html: `<p>${escapeHtml(request)}</p>\n<p><a href="${escapeHtml(url)}">Pay ${escapeHtml(price)}</a></p>\n`,
  };
}

function checkPayUrl(payUrl: string): string {
  if (URL.canParse(payUrl) && /^https?:/.test(new URL(payUrl).protocol)) return payUrl;
  throw invalidArgument('payUrl', 'the payUrl of an order that can be paid');
}

/** Decimal text is formatted exactly: it is never made a number. */
function formatPrice(amount: string, currency: string): string {
  if (typeof amount !== 'string' || !/^\d+(\.\d+)?$/.test(amount)) {
    throw invalidArgument('amount', "decimal text such as '9.99'");
  }
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    throw invalidArgument('currency', "a code such as 'GBP'");
  }
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  return format.format(amount as Intl.StringNumericLiteral);
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
