import type * as z from 'zod';

import { type CheckoutSession, Reply as Session } from './resources/checkout-sessions.js';
import { type MerchantAssociation, Reply as Association } from './resources/merchants.js';
import { type ReportSchedule, Reply as Schedule } from './resources/reports.js';
import {
  ScheduledTransfer,
  type ScheduledTransfer as TransferType,
} from './resources/scheduled-transfers.js';
import { Transaction, type Transaction as TransactionType } from './resources/transaction.js';

interface Objects {
  readonly Transaction: TransactionType;
  readonly ReportSchedule: ReportSchedule;
  readonly ScheduledTransfer: TransferType;
  readonly CheckoutSession: CheckoutSession;
  readonly MerchantAssociation: MerchantAssociation;
}

const SCHEMAS: Readonly<Record<keyof Objects, z.ZodObject>> = {
  Transaction,
  ReportSchedule: Schedule,
  ScheduledTransfer,
  CheckoutSession: Session,
  MerchantAssociation: Association,
};

/**
 * The fields of an answer that the provider's document does not list. They are in the object itself,
 * too, but not in its type. `decimalOf` and `toJsonText` work on the result.
 *
 * @example
 * extraOf(row)['colour'];
 * extraOf(schedule, 'ReportSchedule');
 */
export function extraOf(row: TransactionType): Readonly<Record<string, unknown>>;
export function extraOf<Kind extends keyof Objects>(
  value: Objects[Kind],
  kind: Kind,
): Readonly<Record<string, unknown>>;
export function extraOf(
  value: object,
  kind: keyof Objects = 'Transaction',
): Readonly<Record<string, unknown>> {
  // A copy by spread keeps the exact texts of numbers.
  const extra: Record<string, unknown> = { ...value };
  for (const name of Object.keys(SCHEMAS[kind].shape)) Reflect.deleteProperty(extra, name);
  return extra;
}
