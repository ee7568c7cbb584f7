import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';
import { Adversary, adversarialSwitches } from './adversary.js';
import { FAULT_TARGETS, isFaultOf, type FaultTarget } from './fault-table.js';

const SEEDS = Array.from({ length: 10 }, (_, index) => String(index + 1));
/** What takes something from the client: a call, its answer, or a webhook. */
const UNLAWFUL = ['error', 'html', 'redirect', 'lost', 'reset', 'wrong-signature', 'wrong-type'];

function meetings(
  seed: string,
  target: FaultTarget = 'transactions-list',
  adversary = new Adversary(seed),
) {
  return Array.from({ length: 100 }, () => adversary.meet(target));
}

describe('an adversary', () => {
  it.each(SEEDS)('of seed %s is the same every time, and unlike others', (seed) => {
    expect(meetings(seed)).toEqual(meetings(seed));
    expect(meetings(seed)).not.toEqual(meetings(`another ${seed}`));
    expect(adversarialSwitches(seed)).toEqual(adversarialSwitches(seed));
  });

  it('does the same to a target whatever others are called in between', () => {
    const adversary = new Adversary('7');
    meetings('7', 'webhook', adversary);
    expect(meetings('7', 'transactions-list', adversary)).toEqual(
      meetings('7', 'transactions-list'),
    );
  });

  it.each(FAULT_TARGETS)('does to %s what can happen to it, and is lawful', (target) => {
    const met = meetings('7', target).flatMap((fault) => fault?.fault ?? []);
    expect(met.length).toBeGreaterThan(30);
    expect(met.every((fault) => isFaultOf(target, fault))).toBe(true);
    expect(met.filter((fault) => UNLAWFUL.includes(fault) || fault.startsWith('drop'))).toEqual([]);
  });

  it.each(['3', '7'])(
    'of seed %s loses no row of a list, and is itself again after a reset',
    async (seed) => {
      const history = { count: 30 };
      const kind = await startSandbox({ history });
      const { data } = await kind.list({ limit: 100 });
      const test = await startSandbox({ history, adversarial: seed });
      const { control } = test.sandbox;
      const readAll = async () => {
        const ids: unknown[] = [];
        for (let cursor: string | undefined, hasMore = true; hasMore;) {
          const page = await test.list({ ...(cursor !== undefined && { cursor }) });
          ids.push(...page.data.transactions.map(({ id }) => id));
          ({ nextCursor: cursor, hasMore } = page.pagination);
        }
        return { ids, faults: control.requests().map(({ fault }) => fault) };
      };
      const first = await readAll();
      expect(first.ids).toEqual(data.transactions.map(({ id }) => id));
      control.reset();
      expect(await readAll()).toEqual(first);
      expect(new Set(first.faults).size).toBeGreaterThan(3);
    },
  );

  it('leaves a switch as it was set', async () => {
    const { sandbox } = await startSandbox({ adversarial: '7', maxLimit: 1000 });
    const values = sandbox.control.describeSwitches().map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toMatchObject({
      maxLimit: 1000,
      transactionVariant: 'mixed',
    });
  });
});
