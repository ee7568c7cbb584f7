import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';

import * as checks from '../generated/reply-checks.js';
import { DriftLog, type DriftSink } from '../http/drift.js';
import type { MerchantAssociation } from '../resources/merchants.js';
import type { ReportSchedule } from '../resources/reports.js';
import type { ScheduledTransfer } from '../resources/scheduled-transfers.js';
import type { Transaction } from '../resources/transactions.js';
import { CONTRACT } from './contract.js';
import { renderGeneratedFiles } from './generated-files.js';
import * as schemas from './schemas.js';

/** Values that come where others are expected. */
const oddValue = fc.oneof(
  { weight: 4, arbitrary: fc.string() },
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, NaN, Infinity, 2 ** 53, -0, 1e300),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { maxKeys: 2 }),
);

function arbitraryOf(schema: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.keys(schema.shape);
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom(...fields), oddValue),
      fc.dictionary(fc.string(), oddValue, { maxKeys: 2 }),
    )
    .map(([known, odd]) => ({ ...odd, ...known }));
}

/** Places that a generated check complains of. */
function complaintsOf(check: (body: unknown, drift: DriftSink) => void, body: unknown): string[] {
  const found: string[] = [];
  check(body, {
    unknownField: () => undefined,
    unexpectedType: (path) => found.push(path),
  });
  return [...new Set(found)].sort();
}

/** Places that zod complains of, written as the generated checks write them. */
function zodComplaintsOf(schema: z.ZodType, body: unknown): string[] {
  const { error } = schema.safeParse(body);
  const paths = (error?.issues ?? []).map(({ path }) =>
    path
      .map((part, index) => {
        if (typeof part === 'number') return '[]';
        return path[index - 1] === 'parameters' ? '{}' : `.${String(part)}`;
      })
      .join(''),
  );
  return [...new Set(paths)].sort();
}

describe('the generated checks', () => {
  it('agree with zod on 10,000 random transactions, in pages', () => {
    let rows = 0;
    const row = arbitraryOf(schemas.Transaction);
    fc.assert(
      fc.property(fc.array(row, { minLength: 10, maxLength: 10 }), (transactions) => {
        rows += transactions.length;
        const body = { data: { transactions }, pagination: { hasMore: false } };
        expect(complaintsOf(checks.checkTransactionPage, body)).toEqual(
          zodComplaintsOf(schemas.ListTransactionsReply, body),
        );
      }),
      { numRuns: 1_000 },
    );
    expect(rows).toBeGreaterThanOrEqual(10_000);
  });

  it.each(Object.values(CONTRACT).map(({ check, reply }) => [check, reply] as const))(
    'agree with zod on random answers: %s',
    (name, schema) => {
      const check = checks[name as keyof typeof checks];
      const inner = 'element' in schema ? (schema.element as z.ZodObject) : (schema as z.ZodObject);
      const body = 'element' in schema ? fc.array(arbitraryOf(inner)) : arbitraryOf(inner);
      fc.assert(
        fc.property(fc.oneof({ weight: 9, arbitrary: body }, oddValue), (answer) => {
          expect(complaintsOf(check, answer)).toEqual(zodComplaintsOf(schema, answer));
        }),
        { numRuns: 500 },
      );
    },
  );

  it('count every field that the document does not list, once a row', () => {
    const drift = new DriftLog();
    const transactions = [{ id: 'a', colour: 1 }, { colour: 2, size: 3 }, {}];
    const body = { data: { transactions, total: 3 }, pagination: { hasMore: false }, trace: 'x' };
    checks.checkTransactionPage(body, drift.startAnswer('transactions.list'));
    expect(drift.report()['transactions.list']?.unknownFields).toEqual({
      'data.transactions[].colour': 2,
      'data.transactions[].size': 1,
      'data.total': 1,
      trace: 1,
    });
  });

  it('are made from the contract as it stands: else run `pnpm generate`', async () => {
    for (const { url, text } of await renderGeneratedFiles()) {
      expect(await readFile(url, 'utf8')).toBe(text);
    }
  });
});

describe('the types of answers', () => {
  it('are those of the contract', () => {
    type Loose<T> = { [Field in keyof T]?: T[Field] | undefined };
    expectTypeOf<z.infer<typeof schemas.Transaction>>().toExtend<Loose<Transaction>>();
    expectTypeOf<z.infer<typeof schemas.ReportSchedule>>().toExtend<Loose<ReportSchedule>>();
    expectTypeOf<z.infer<typeof schemas.ScheduledTransfer>>().toExtend<Loose<ScheduledTransfer>>();
    expectTypeOf<z.infer<typeof schemas.AssociateMerchantReply>>().toExtend<MerchantAssociation>();
    expectTypeOf<KnownKeys<Transaction>>().toEqualTypeOf<keyof typeof schemas.Transaction.shape>();
    expectTypeOf<KnownKeys<ReportSchedule>>().toEqualTypeOf<
      keyof typeof schemas.ReportSchedule.shape
    >();
    expectTypeOf<KnownKeys<ScheduledTransfer>>().toEqualTypeOf<
      keyof typeof schemas.ScheduledTransfer.shape
    >();
  });
});

/** Keys of a type without its index signature. */
type KnownKeys<T> = keyof {
  [Key in keyof T as string extends Key ? never : Key]: T[Key];
};
