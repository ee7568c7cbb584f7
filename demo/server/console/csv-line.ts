/** Transactions as CSV (RFC 4180): exact numbers, every field, and no formulas. */
import type { Transaction } from '@pay-checkout/partner-api';
import { fieldText, otherFields } from './provider-text.js';

/** The fields of spec 2.1, in its order. */
const COLUMNS = [
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
] as const;

/** What spreadsheets take for the begin of a formula: shoppers choose their own names. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The columns, and `extra`: all other fields, as JSON. */
export const CSV_HEADER = writeLine([...COLUMNS, 'extra']);

export function csvLine(row: Transaction): string {
  const extra = otherFields(row, COLUMNS);
  const cells = COLUMNS.map((name) => {
    const text = fieldText(row, name);
    return typeof row[name] === 'string' && FORMULA.test(text) ? `'${text}` : text;
  });
  return writeLine([...cells, Object.keys(extra).length === 0 ? '' : JSON.stringify(extra)]);
}

function writeLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
