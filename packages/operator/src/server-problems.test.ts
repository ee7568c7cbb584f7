import type { ServerState } from '@pay-checkout/session-server/internals';
import { describe, expect, it } from 'vitest';
import { describeServerProblems } from './server-problems.js';

const NOW = 1_000_000_000;
const ONE: ServerState = {
  ...{ name: 'one', version: '1.0.0', startedAt: 0, seenAt: NOW, encryptionKey: 'k1' },
  ...{ clockAheadMs: 20, listsBackingOff: 0, stalledMs: 12, merchants: 3 },
};
const TWO: ServerState = { ...ONE, name: 'two', seenAt: NOW - 5000 };

describe('what is wrong with servers', () => {
  it('is nothing where they agree and all is well, or there is only one', () => {
    expect(describeServerProblems([ONE, TWO])).toEqual([]);
    expect(describeServerProblems([{ ...ONE, clockAheadMs: undefined }])).toEqual([]);
  });

  it.each<[Partial<ServerState>, string]>([
    [{ version: '1.1.0' }, 'Servers run different versions: 1.0.0 (one), 1.1.0 (two).'],
    [{ encryptionKey: 'k2' }, 'Servers encrypt with different keys: k1 (one), k2 (two).'],
    [{ clockAheadMs: -3200 }, 'The clock of two is 3.2 s behind that of the database.'],
    [{ clockAheadMs: 1001 }, 'The clock of two is 1.0 s ahead of that of the database.'],
    [
      { listsBackingOff: 1 },
      'two does not poll a list of the provider for now, because it failed.',
    ],
    [
      { listsBackingOff: 3 },
      'two does not poll 3 lists of the provider for now, because they failed.',
    ],
    [{ stalledMs: 1400 }, 'two answered no one for 1.4 s.'],
  ])('is said of %j', (change, problem) => {
    expect(describeServerProblems([ONE, { ...TWO, ...change }])).toEqual([problem]);
  });

  it('is that one is silent, whatever it said before', () => {
    const silent = { ...TWO, seenAt: NOW - 90_000, version: '0.9.0', stalledMs: 9000 };
    expect(describeServerProblems([ONE, silent])).toEqual([
      'two has been silent for 90 s: it was killed, hangs, or has no database.',
    ]);
  });
});
