import { describe, expect, it } from 'vitest';

import { isPartnerApiError } from './errors.js';
import { clientOf, failureOf } from './testing/test-server.js';

describe('PartnerClient', () => {
  it.each([
    ['baseUrl', { baseUrl: 'api.example.com' }],
    ['baseUrl', { baseUrl: 'https://user:canary@api.example.com' }],
    ['timeoutSeconds', { timeoutSeconds: 0 }],
    ['timeoutSeconds', { timeoutSeconds: Infinity }],
    ['timeoutSeconds', { timeoutSeconds: 3_000_000 }],
    ['maxRetries', { maxRetries: -1 }],
    ['maxResponseBytes', { maxResponseBytes: 0.5 }],
    ['userAgent', { userAgent: 'a\r\nb' }],
  ])('names %s when it cannot be right', async (field, options) => {
    const error = await failureOf(
      Promise.resolve().then(() => clientOf('https://h.example', options)),
    );
    expect(error).toMatchObject({ name: 'InvalidRequestError', field });
    expect(isPartnerApiError(error)).toBe(true);
    expect((error as Error).message).not.toContain('canary');
  });

  it.each([
    ['timeoutSeconds', { timeoutSeconds: -1 }],
    ['maxRetries', { maxRetries: 0.5 }],
    ['signal', { signal: {} as AbortSignal }],
  ])('names the option %s of one call when it cannot be right', async (field, options) => {
    const { transactions } = clientOf('https://h.example');
    expect(await failureOf(transactions.list({}, options))).toMatchObject({
      field,
      outcome: 'not_sent',
    });
  });
});
