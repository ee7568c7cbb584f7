/** What the session server asks us: which order does it mean to open a checkout for. */
import { z } from 'zod';

/** Body of `POST /api/order-lookup`. */
export const orderLookupSchema = z.looseObject({
  merchant: z.string({ error: 'must be the id of a merchant' }),
  order: z.string({ error: 'must be the number of an order' }).max(64),
});
