import { describe, expect, it } from 'vitest';

import * as api from './index.js';

describe('isPartnerApiError', () => {
  const details = { operation: 'transactions.list', attempt: 1, outcome: 'unknown' } as const;

  it('knows every class of the family, by its name', () => {
    const classes = Object.entries(api).filter(
      ([name]) => /Error$/.test(name) && name !== 'TransportError',
    );
    expect(classes.length).toBeGreaterThan(12);
    for (const [name, Member] of classes) {
      if (name === 'isPartnerApiError') continue;
      const create = Member as new (...parts: unknown[]) => Error;
      const error =
        name === 'InvalidRequestError'
          ? new create('limit', 'is wrong', 'transactions.list')
          : new create('message', details, 'html');
      expect(error.name).toBe(name);
      expect(api.isPartnerApiError(error)).toBe(true);
      expect(String(error)).toMatch(new RegExp(`^${name}: `));
    }
  });

  it('knows an error of another copy of the package', () => {
    const foreign = Object.assign(new Error('m'), { name: 'RateLimitError', ...details });
    expect(api.isPartnerApiError(foreign)).toBe(true);
  });

  it("does not take the platform's errors for ours", () => {
    expect(api.isPartnerApiError(new DOMException('late', 'TimeoutError'))).toBe(false);
    expect(api.isPartnerApiError(new Error('m'))).toBe(false);
    expect(api.isPartnerApiError(null)).toBe(false);
    expect(api.isPartnerApiError('RateLimitError')).toBe(false);
  });
});
