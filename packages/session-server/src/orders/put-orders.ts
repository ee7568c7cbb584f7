import type { DataEncryption } from '../encryption.js';
import { formatMinor } from '../money.js';
import type { Reader } from '../store/database.js';
import type { OrderLookup, ShopOrder } from './order-lookup.js';
import { findOrder, findSealed, type OrderKey, type PutOrder } from './repository.js';

/** The part of a put order that is stored encrypted: everything that may be personal data. */
export interface PersonalPart extends Pick<ShopOrder, 'customer' | 'address' | 'lineItems'> {
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly locale?: string | undefined;
}

type Metadata = Readonly<Record<string, string>>;

/**
 * Every order of every merchant, wherever its price comes from: the shop of a merchant entry with
 * `orderLookup` is asked, the others have put their orders.
 */
export function createOrderSource({
  database,
  encryption,
  lookUp,
}: {
  readonly database: Reader;
  readonly encryption: DataEncryption;
  readonly lookUp: OrderLookup;
}): OrderLookup {
  return async (merchant, order) => {
    if (merchant.orderLookup) return lookUp(merchant, order);
    const key = { merchant: merchant.id, order };
    const stored = await findOrder(database, key);
    if (!stored?.put) return undefined;
    const { amountMinor, currency, decimals, split, returnUrl } = stored.put;
    const { customer, address, lineItems } = openPersonalPart(stored.put, key, encryption) ?? {};
    return {
      order,
      amount: formatMinor(amountMinor, decimals),
      currency,
      status: stored.isVoid ? 'void' : 'payable',
      ...{ customer, address, lineItems, split, returnUrl },
      isStored: true,
    };
  };
}

export function sealPersonalPart(
  part: PersonalPart,
  key: OrderKey,
  encryption: DataEncryption,
): Uint8Array {
  return encryption.seal(Buffer.from(JSON.stringify(part)), contextOf(key));
}

/** Undefined once it is erased, and when its key is gone: an order can be paid without it. */
export function openPersonalPart(
  { sealed }: Pick<PutOrder, 'sealed'>,
  key: OrderKey,
  encryption: DataEncryption,
): PersonalPart | undefined {
  const opened = sealed && encryption.open(sealed, contextOf(key));
  return opened && (JSON.parse(opened.toString('utf8')) as PersonalPart);
}

/**
 * Adds the metadata of their orders to the texts of events. The store holds it encrypted only, so that it is erased
 * with the order.
 */
export async function addMetadata<T extends { readonly body: string }>(
  reader: Reader,
  events: readonly T[],
  encryption: DataEncryption,
): Promise<T[]> {
  if (events.length === 0) return [];
  const parsed = events.map((event) => ({ event, body: JSON.parse(event.body) as EventBody }));
  const keys = new Map(parsed.map(({ body: { data } }) => [contextOf(data), data]));
  const found = await findSealed(reader, [...keys.values()]);
  const metadata = new Map(
    found.map((key) => [contextOf(key), openPersonalPart(key, key, encryption)?.metadata]),
  );
  return parsed.map(({ event, body }) => {
    const ofOrder = metadata.get(contextOf(body.data));
    if (!ofOrder) return event;
    return {
      ...event,
      body: JSON.stringify({ ...body, data: { ...body.data, metadata: ofOrder } }),
    };
  });
}

interface EventBody {
  readonly data: OrderKey;
}

/** What an order is found by in place of its customer's e-mail. */
export function emailDigestOf(
  { customer }: Pick<ShopOrder, 'customer'>,
  encryption: DataEncryption,
): string | undefined {
  return customer?.email === undefined ? undefined : encryption.emailDigests(customer.email)[0];
}

/** What the encrypted part belongs to, so that none can be put in the place of another. */
function contextOf({ merchant, order }: OrderKey): string {
  return `pay-checkout.put-order.v1\n${merchant}\n${order}`;
}
