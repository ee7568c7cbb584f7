import type { Transaction } from '../resources/transactions.js';

/** The fields of a transaction in the order of spec 2.1: the columns of an export. */
export const TRANSACTION_COLUMNS: readonly string[] = [
  'id',
  'source',
  'transactionTime',
  'orderRef',
  'amount',
  'currencyCode',
  'status',
  'merchantId',
  'merchantName',
  'paymentMethod',
  'transactionModeId',
  'internalReference',
  'pspReference',
  'last4Digits',
  'shopperId',
  'service_fee',
  'firstname',
  'lastname',
  'resellerOrderId',
  'customerType',
  'net',
  'deductions',
  'amountRefunded',
];

/**
 * The cells of a row under these columns. They are written out because the engine then knows where
 * each stands, and need not look it up by name: that would be a fifth of the work of a line.
 */
export function readCells(row: Transaction): readonly unknown[] {
  return [
    row.id,
    row.source,
    row.transactionTime,
    row.orderRef,
    row.amount,
    row.currencyCode,
    row.status,
    row.merchantId,
    row.merchantName,
    row.paymentMethod,
    row.transactionModeId,
    row.internalReference,
    row.pspReference,
    row.last4Digits,
    row.shopperId,
    row.service_fee,
    row.firstname,
    row.lastname,
    row.resellerOrderId,
    row.customerType,
    row.net,
    row.deductions,
    row.amountRefunded,
  ];
}
