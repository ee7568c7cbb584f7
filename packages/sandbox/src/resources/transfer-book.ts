import { z } from 'zod';
import type { Merchant } from '../accounts.js';
import { currency, openWord, requestBody, text } from '../schemas.js';

const CRON = /^\S+(\s+\S+){4,5}$/;

/** One object of `data` in the body (spec 4.4). */
export const transferChange = requestBody({
  schedule_transfer_id: text.optional(),
  currency: currency.optional(),
  schedule: text
    .regex(CRON, 'expected a cron expression of five or six fields')
    .meta({ description: 'cron expression' })
    .optional(),
  description: text.optional(),
  refrence: text.meta({ description: 'spelled like this' }).optional(),
});

/** A scheduled transfer of spec 2.3. */
export const scheduledTransfer = z.object({
  id: text,
  merchantAccount: text,
  currency: text,
  schedule: text.meta({ description: 'A cron expression or words' }),
  status: openWord(),
});

export type ScheduledTransfer = Readonly<z.output<typeof scheduledTransfer>>;

/** The scheduled transfers of each merchant. */
export class TransferBook {
  readonly #transfers = new Map<number, ScheduledTransfer[]>();

  /** Starts over: two transfers for each merchant, one in cron and one in words. */
  reset(merchants: readonly Merchant[]): void {
    this.#transfers.clear();
    for (const merchant of merchants) this.add(merchant);
  }

  add(merchant: Merchant): void {
    this.#transfers.set(merchant.id, [
      makeTransfer(merchant, `st_${merchant.id}_1`, '30 6 * * 1-5'),
      makeTransfer(merchant, `st_${merchant.id}_2`, 'Last working day of each month'),
    ]);
  }

  of(merchantId: number): readonly ScheduledTransfer[] {
    return this.#transfers.get(merchantId) ?? [];
  }

  /** Changes the transfers that are named, and adds those whose id is new. */
  store(merchant: Merchant, changes: readonly z.output<typeof transferChange>[]): void {
    const transfers = [...this.of(merchant.id)];
    for (const change of changes) {
      const id = change.schedule_transfer_id ?? `st_${merchant.id}_${transfers.length + 1}`;
      const index = transfers.findIndex((transfer) => transfer.id === id);
      const before = transfers[index] ?? makeTransfer(merchant, id, '0 6 * * *');
      const after: ScheduledTransfer = {
        ...before,
        currency: change.currency ?? before.currency,
        schedule: change.schedule ?? before.schedule,
      };
      if (index === -1) transfers.push(after);
      else transfers[index] = after;
    }
    this.#transfers.set(merchant.id, transfers);
  }

  list(): ScheduledTransfer[] {
    return [...this.#transfers.values()].flat();
  }
}

function makeTransfer(merchant: Merchant, id: string, schedule: string): ScheduledTransfer {
  return {
    id,
    merchantAccount: `account-${merchant.id}`,
    currency: merchant.currency,
    schedule,
    status: 'active',
  };
}
