import { z } from 'zod';
import { isDecimal } from '../money.js';
import { currency, integer, seconds, text } from '../schemas.js';
import { MAX_HISTORY_COUNT } from '../transactions/history.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';
import { MONEY_FIELDS, toWireRow } from '../transactions/transaction.js';
import { listOf, route, wholeNumber } from './route.js';

const decimal = z
  .union([text, z.number()], 'expected a decimal, as a string or a number')
  .transform(String)
  .refine(isDecimal, 'expected a plain decimal, for example "12.34"');

const timestamp = z.iso.datetime('expected an ISO 8601 timestamp in UTC');

const row = z.record(text, z.unknown()).meta({ description: 'The fields of section 2.1' });

const shown = z.object({
  row,
  isListed: z.boolean(),
  listedAt: text.optional().meta({ description: 'When the list shows it' }),
});

const history = z.object({ count: integer });

/** Transactions: read, added, refunded, hidden, and the history that they begin with. */
export const TRANSACTION_ROUTES = [
  route({
    method: 'get',
    path: '/transactions/list',
    command: 'transactions list',
    summary: 'List all transactions, hidden ones included, newest first',
    query: z.strictObject({
      cursor: text.optional(),
      limit: wholeNumber.refine((rows) => rows <= 1000, 'expected at most 1000').optional(),
      status: text.optional(),
      merchantId: wholeNumber.optional(),
      search: text.optional(),
    }),
    answer: z.object({ transactions: listOf(shown), next: text.optional(), total: integer }),
    handle(control, { query }) {
      const { transactions, ...page } = control.listTransactions(query);
      const now = control.clock.now();
      return { ...page, transactions: transactions.map((each) => show(each, now)) };
    },
  }),
  route({
    method: 'get',
    path: '/transactions/:id',
    command: 'transactions show <transaction>',
    summary: 'Read a transaction, and which session it paid',
    answer: shown.extend({ sessionId: text.optional() }),
    handle(control, { id }) {
      const { sessionId, ...stored } = control.readTransaction(id);
      return { ...show(stored, control.clock.now()), sessionId };
    },
  }),
  route({
    method: 'get',
    path: '/transactions',
    command: 'transactions',
    summary: 'List the transactions that arrived or changed, hidden ones included',
    answer: z.object({ transactions: listOf(z.object({ visibleAt: text, row })) }),
    handle: (control) => ({
      transactions: control.transactions().map((stored) => ({
        visibleAt: new Date(stored.visibleAt).toISOString(),
        row: toWireRow(stored.row),
      })),
    }),
  }),
  route({
    method: 'post',
    path: '/transactions',
    summary: 'Add a transaction; what is missing is invented',
    body: z.strictObject({
      row: z
        .looseObject({
          id: text.optional(),
          transactionTime: timestamp.transform((time) => new Date(time).toISOString()).optional(),
          merchantId: integer.optional(),
          status: text.optional(),
          currencyCode: currency.optional(),
          ...Object.fromEntries(MONEY_FIELDS.map((field) => [field, decimal.optional()])),
        })
        .default({}),
      omit: z.array(text).optional(),
      visibleInSeconds: seconds.optional(),
    }),
    status: 201,
    answer: row,
    handle: (control, { body }) => toWireRow(control.addTransaction(body)),
  }),
  route({
    method: 'post',
    path: '/transactions/:id/refund',
    command: 'transactions refund <transaction>',
    summary: 'Refund the rest, or an amount, by a change of the row or by another row',
    body: z
      .strictObject({
        amount: decimal.optional(),
        as: z.enum(['change', 'add'], 'expected change or add').optional(),
        status: text.optional(),
      })
      .default({}),
    answer: row,
    handle: (control, { id, body }) => toWireRow(control.refund(id, body)),
  }),
  route({
    method: 'post',
    path: '/transactions/:id/visibility',
    command: 'transactions hide <transaction> <seconds>',
    summary: 'Hide a transaction from the list for some seconds',
    body: z.strictObject({ seconds }),
    handle: (control, { id, body }) => control.hideTransaction(id, body.seconds),
  }),
  route({
    method: 'get',
    path: '/history',
    command: 'history',
    summary: 'Count the past transactions',
    answer: history,
    handle: (control) => ({ count: control.historyCount() }),
  }),
  route({
    method: 'post',
    path: '/history',
    command: 'history generate <count>',
    summary: 'Forget all transactions, and make past ones',
    body: z.strictObject({
      count: integer
        .min(0, 'expected at least 0')
        .max(MAX_HISTORY_COUNT, `expected at most ${MAX_HISTORY_COUNT}`),
      seed: text.optional(),
      until: timestamp.optional(),
      days: integer.min(1, 'expected at least 1').max(3650, 'expected at most 3650').optional(),
    }),
    answer: history,
    handle(control, { body }) {
      control.generateHistory(body);
      return { count: control.historyCount() };
    },
  }),
];

/** Money stays text, with all its digits. */
function show({ row: fields, visibleAt }: StoredTransaction, now: number) {
  const isListed = visibleAt <= now;
  const isMoment = !Number.isNaN(new Date(visibleAt).getTime());
  return {
    row: fields,
    isListed,
    ...(!isListed && isMoment && { listedAt: new Date(visibleAt).toISOString() }),
  };
}
