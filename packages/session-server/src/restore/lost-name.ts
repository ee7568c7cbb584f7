import type { OrderIdRange } from './restore-store.js';

/** What a transaction calls an attempt that may be lost. */
export interface LostName {
  readonly orderId: number;
  /** The value that names it. */
  readonly reference: string;
  /** Undefined when only the `order_id` is named, which says nothing about the order. */
  readonly order: string | undefined;
}

/** `MerchantReference` as we make it: the order, a dot, the `order_id`; or the `order_id` alone. */
const NAME = /^(?:([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.)?([1-9]\d{0,14})$/;

/** Which lost attempt a row of the list names, by the value that says most; undefined when none. */
export function readLostName(
  references: readonly string[],
  { afterOrderId, toOrderId }: OrderIdRange,
): LostName | undefined {
  const names = references.flatMap((reference): LostName[] => {
    const [, order, digits] = NAME.exec(reference) ?? [];
    const orderId = Number(digits);
    return orderId > afterOrderId && orderId <= toOrderId ? [{ orderId, reference, order }] : [];
  });
  return names.find(({ order }) => order !== undefined) ?? names[0];
}
