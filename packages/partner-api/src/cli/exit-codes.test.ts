import { describe, expect, it } from 'vitest';

import { CallAbortedError, type Outcome } from '../errors.js';
import { exitCodeOf } from './exit-codes.js';

function codeOfCtrlC(operation: string, outcome: Outcome): number {
  return exitCodeOf(new CallAbortedError('aborted', { operation, attempt: 1, outcome }));
}

describe('Ctrl-C', () => {
  it('is an interruption, unless something may have been created by then', () => {
    expect(codeOfCtrlC('transactions.list', 'unknown')).toBe(130);
    expect(codeOfCtrlC('transactions.iterate', 'unknown')).toBe(130);
    expect(codeOfCtrlC('checkoutSessions.create', 'not_sent')).toBe(130);
    expect(codeOfCtrlC('checkoutSessions.create', 'unknown')).toBe(3);
    expect(codeOfCtrlC('webhooks.create', 'unknown')).toBe(3);
  });
});
