/** What the session server tells us: the events we read. Types and fields that are new are kept. */
import { z } from 'zod';

/** Body of `POST /api/events`. */
export const checkoutEventSchema = z.looseObject({
  type: z.string({ error: 'must be the name of an event, such as checkout.paid' }).min(1).max(100),
  timestamp: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time' }),
  data: z.looseObject({
    merchant: z.string({ error: 'must be the id of a merchant' }),
    order: z.string({ error: 'must be the number of an order' }).max(64),
    checkout: z.string({ error: 'must be the id of a checkout' }).min(1).max(100),
    state: z.string({ error: 'must be the state of the checkout' }),
    certain: z.boolean({ error: 'must be true or false' }),
    sequence: z.int({ error: 'must be a whole number that grows with each change' }).min(0),
    amount: z.string({ error: 'must be decimal text such as 12.34' }),
    currency: z.string({ error: 'must be an ISO 4217 code' }),
    refund: z.enum(['none', 'partial', 'full'], { error: 'must be none, partial or full' }),
    attention: z.array(z.string(), { error: 'must be a list of codes' }).max(50),
  }),
});

export type CheckoutEvent = z.output<typeof checkoutEventSchema>;
