import { signOrderToken } from '../../../packages/session-server/dist/orders/order-token.js';
import type { DrillShop } from '../drill-shop.ts';
import { send } from '../http.ts';
import { SHOP_ORIGIN } from '../shopper.ts';
import type { Known } from './hostile-request.ts';
import { LOOKED_UP, PUTTING, type TargetParts, VICTIM } from './target-parts.ts';

/** Signs in to the operator's page. Answers the cookie. */
export async function signIn(port: number, key: string): Promise<string> {
  const origin = `http://127.0.0.1:${String(port)}`;
  const answer = await fetch(`${origin}/page/session`, {
    method: 'POST',
    headers: { origin, 'x-pay-operator': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`not signed in: ${String(answer.status)}`);
  return cookie.split(';')[0] ?? '';
}

/** Creates a checkout; every second one is put, one in four is paid and has come back. */
export async function prepare(
  url: string,
  { shop, sandbox, secrets }: TargetParts,
  number: number,
): Promise<Known> {
  const knownOrder = `P${String(number)}`;
  const merchant = merchantOf(number);
  shop.addOrder(knownOrder, '9.99');
  if (merchant === PUTTING) await putOrder(url, secrets.puttingKey, knownOrder, {});
  const orderToken = tokenOf(shop, merchant, knownOrder);
  const created = await createCheckout(url, { merchant, order: knownOrder, orderToken });
  const session = await sandbox.session(created.sessionId);
  const returnToken = lastOf(session.RedirectUrl);
  if (number % 4 === 0) {
    await sandbox.pay(created.sessionId);
    await send(`${url}/v1/return/${returnToken}`);
  }
  return {
    ...created,
    knownOrder,
    returnToken,
    cancelToken: lastOf(session.CancelUrl),
    webhookToken: lastOf(session.WebhookUrl),
  };
}

/** An order of another merchant with a person in it. Answers what no one else may see. */
export async function prepareVictim(
  url: string,
  { secrets, sandbox }: TargetParts,
): Promise<string[]> {
  const person = { name: 'Canary Nightjar-Whole', email: 'canary.nightjar@example.test' };
  const description = 'Canary description of the order';
  const address = { houseNumber: '77 Canary', postcode: 'ZZ9 7CN' };
  const more = { description, customer: person, address };
  const orderToken = await putOrder(url, secrets.victimKey, 'V1', more);
  const { sessionId } = await createCheckout(url, { merchant: VICTIM, order: 'V1', orderToken });
  const { WebhookUrl, RedirectUrl } = await sandbox.session(sessionId);
  const hmac = orderToken.split('.').at(-1) ?? '';
  const addresses = [WebhookUrl, RedirectUrl].map(lastOf);
  return [
    ...Object.values(person),
    description,
    address.houseNumber,
    hmac,
    sessionId,
    ...addresses,
  ];
}

/** Answers its order token. */
async function putOrder(url: string, key: string, order: string, more: object): Promise<string> {
  const { text } = await send(`${url}/v1/merchant/orders/${order}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}` },
    body: { amount: '9.99', currency: 'GBP', ...more },
  });
  return (JSON.parse(text) as { orderToken: string }).orderToken;
}

export function merchantOf(number: number): string {
  return number % 2 === 0 ? LOOKED_UP : PUTTING;
}

export function tokenOf(shop: DrillShop, merchant: string, order: string): string {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return signOrderToken(shop.orderTokenSecret, { merchant, order, expiresAt });
}

function lastOf(address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? '';
}

async function createCheckout(url: string, body: object) {
  const headers = { origin: SHOP_ORIGIN };
  const { status, text } = await send(`${url}/v1/checkouts`, { headers, body });
  if (status !== 200) throw new Error(`a checkout was not created: ${String(status)} ${text}`);
  const { checkout, sessionId } = JSON.parse(text) as { checkout: string; sessionId: string };
  return { checkout, sessionId };
}
