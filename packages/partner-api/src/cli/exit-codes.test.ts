import { describe, expect, it } from 'vitest';

import { CallAbortedError, type Effect, type Outcome } from '../errors.js';
import { exitCodeOf } from './exit-codes.js';

function codeOfCtrlC(effect: Effect, outcome: Outcome): number {
  const details = { operation: 'x', attempt: 1, effect, outcome };
  return exitCodeOf(new CallAbortedError('aborted', details));
}

describe('Ctrl-C', () => {
  it('is an interruption, unless something may have been created by then', () => {
    expect(codeOfCtrlC('read', 'unknown')).toBe(130);
    expect(codeOfCtrlC('create', 'not_sent')).toBe(130);
    expect(codeOfCtrlC('create', 'unknown')).toBe(3);
    expect(codeOfCtrlC('once', 'unknown')).toBe(3);
  });
});
