/** `MerchantReference` (spec 4.6) of an attempt: as unique as its `order_id`, which it ends with. */
export function merchantReferenceOf(order: string, orderId: number): string {
  return `${order}.${String(orderId)}`;
}

/** Every `order_id` that one of the references is, or ends with: whom they may name. */
export function orderIdsIn(references: readonly string[]): number[] {
  return references.flatMap((reference) => {
    const digits = /(?:^|\.)(\d{1,15})$/.exec(reference)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}
