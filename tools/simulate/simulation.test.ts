import { describe, expect, it } from 'vitest';
import { describeRun, toMarkdown } from './report.ts';
import { simulate, type SimulationResult } from './simulation.ts';

const HOURS = 1;

function run(seed: number): Promise<SimulationResult> {
  return simulate({
    ...{ merchants: 20, orders: 40, days: HOURS / 24, seed },
    ...{ outages: [{ afterHours: 0.5, minutes: 5 }], drainHours: 1 },
  });
}

describe('a simulation', () => {
  it('measures the same with the same seed, and something else with another one', async () => {
    // But for the pages of the data file: random ids decide where its indexes are split.
    const [first, second, other] = [await run(1), await run(1), await run(2)].map((result) =>
      toMarkdown(describeRun(result)).replace(/^\| Data file .*$/m, ''),
    );
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('sees every payment, whatever the provider does', async () => {
    const { counts, missed, errors } = await run(3);
    expect(counts.paid).toBeGreaterThan(10);
    expect(missed).toEqual({ payments: 0, refunds: 0 });
    expect(errors).toEqual([]);
  });
});
