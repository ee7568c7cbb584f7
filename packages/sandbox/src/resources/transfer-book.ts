import type { Merchant } from '../merchant.js';

/** A scheduled transfer of spec 2.3. */
export interface ScheduledTransfer {
  readonly id: string;
  readonly merchantAccount: string;
  readonly currency: string;
  /** Text: a cron expression, or words. */
  readonly schedule: string;
  /** Values are not shown; kept open. */
  readonly status: string;
}

/** One object of `data` in the body that is shown on the read (spec 4.4). */
export interface TransferRequestItem {
  readonly schedule_transfer_id?: string | undefined;
  readonly currency?: string | undefined;
  readonly schedule?: string | undefined;
}

/** The scheduled transfers of each merchant. */
export class TransferBook {
  #transfers = new Map<number, ScheduledTransfer[]>();

  /** Starts over: two transfers for each merchant, one in cron and one in words. */
  reset(merchants: readonly Merchant[]): void {
    this.#transfers = new Map(merchants.map((merchant) => [merchant.id, seedTransfers(merchant)]));
  }

  /** `undefined` when there is no such merchant. */
  of(merchantId: number): readonly ScheduledTransfer[] | undefined {
    return this.#transfers.get(merchantId);
  }

  /** Changes the transfers that are named, and adds those whose id is new. */
  store(merchant: Merchant, items: readonly TransferRequestItem[]): void {
    const transfers = this.#transfers.get(merchant.id) ?? [];
    for (const item of items) {
      const id = item.schedule_transfer_id ?? `st_${merchant.id}_${transfers.length + 1}`;
      const index = transfers.findIndex((transfer) => transfer.id === id);
      const before = transfers[index] ?? makeTransfer(merchant, id, '0 6 * * *');
      const after: ScheduledTransfer = {
        ...before,
        currency: item.currency ?? before.currency,
        schedule: item.schedule ?? before.schedule,
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

function seedTransfers(merchant: Merchant): ScheduledTransfer[] {
  return [
    makeTransfer(merchant, `st_${merchant.id}_1`, '30 6 * * 1-5'),
    makeTransfer(merchant, `st_${merchant.id}_2`, 'Last working day of each month'),
  ];
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
