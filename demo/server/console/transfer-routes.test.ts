import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TransfersView } from '../../shared/console-view.js';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';

let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

describe('the scheduled transfers', () => {
  it('of a merchant come as the provider tells them, cron or words', async () => {
    const { transfers } = (await partner.get('/api/transfers?mid=1001')).body as TransfersView;
    expect(transfers.map(({ schedule }) => schedule)).toEqual([
      '30 6 * * 1-5',
      'Last working day of each month',
    ]);
  });

  it('keep fields that the document does not show', async () => {
    partner.sandbox.control.addFault({ operation: 'scheduled-transfers', fault: 'unknown-field' });
    const { transfers } = (await partner.get('/api/transfers?mid=1001')).body as TransfersView;
    const shown = ['id', 'merchantAccount', 'currency', 'schedule', 'status'];
    const others = Object.keys(transfers[0]!).filter((name) => !shown.includes(name));
    expect(others.length).toBeGreaterThan(0);
  });

  it('are read without the body whose effect is not shown', async () => {
    await partner.get('/api/transfers?mid=1001');
    expect(partner.sandbox.control.requests()).toMatchObject([{ framing: 'none' }]);
  });

  it('say at the field that no merchant is named, or that the provider knows none', async () => {
    const nobody = await partner.get('/api/transfers');
    expect(problemOf(nobody)).toMatchObject({ status: 400, errors: [{ field: 'mid' }] });
    const unknown = await partner.get('/api/transfers?mid=9999');
    expect(problemOf(unknown)).toMatchObject({ status: 404, errors: [{ field: 'mid' }] });
  });
});
