import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

import { PartnerClient, type PartnerClientOptions } from './client.js';
import { isPartnerApiError } from './errors.js';
import { FetchTransport } from './http/transport.js';
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

  it.each<[string, unknown]>([
    ['options', undefined],
    ['options', 'https://h.example'],
    ['apikey', { apikey: 'k', baseUrl: 'https://h.example' }],
    ['apiKey', { baseUrl: 'https://h.example' }],
    ['baseUrl', { apiKey: 'k' }],
    ['retryRateLimited', { apiKey: 'k', baseUrl: 'https://h.example', retryRateLimited: 'no' }],
    ['transport', { apiKey: 'k', baseUrl: 'https://h.example', transport: FetchTransport }],
  ])('names %s in plain JavaScript when it is missing or misspelt', async (field, options) => {
    const error = await failureOf(
      Promise.resolve().then(() => new PartnerClient(options as PartnerClientOptions)),
    );
    expect(error).toMatchObject({ name: 'InvalidRequestError', field });
  });

  it('names a missing storeKey in plain JavaScript', async () => {
    const { webhooks } = clientOf('https://h.example');
    const create = webhooks.create as unknown as (params: object) => Promise<unknown>;
    const error = await failureOf(create.call(webhooks, { url: 'https://a.example' }));
    expect(error).toMatchObject({ name: 'InvalidRequestError', field: 'storeKey' });
  });

  it.each([
    ['http://api.example', 'baseUrl', {}],
    ['http://localhost.example', 'baseUrl', {}],
    ['http://127.0.0.1.example', 'baseUrl', {}],
    ['https://api.example', 'merchantsBaseUrl', { merchantsBaseUrl: 'http://m.example/p' }],
    ['https://api.example', 'transfersBaseUrl', { transfersBaseUrl: 'http://10.0.0.1' }],
  ])(
    'sends no key over plain http to another machine in production: %s, %s',
    (url, field, rest) => {
      const warnings: string[] = [];
      const options = { ...rest, logger: { warn: (message: string) => warnings.push(message) } };
      const inProduction = { ...options, environment: 'production' as const };
      expect(() => clientOf(url, inProduction)).toThrow(`${field} must start with https://`);
      clientOf(url, options);
      expect(warnings).toEqual([expect.stringContaining('unencrypted')]);
    },
  );

  it('warns of it by the process where it has no logger', async () => {
    const warned = once(process, 'warning');
    clientOf('http://api.example');
    const message = expect.stringContaining('travels unencrypted to api.example') as string;
    expect(await warned).toMatchObject([{ message }]);
  });

  it.each(['http://localhost:1', 'http://sandbox.localhost', 'http://127.9.0.1', 'http://[::1]:8'])(
    'takes %s for this machine',
    (url) => {
      const warn = (message: string): void => expect.unreachable(message);
      clientOf(url, { environment: 'production', logger: { warn } });
    },
  );

  it.each([
    ['timeoutSeconds', { timeoutSeconds: -1 }],
    ['maxRetries', { maxRetries: 0.5 }],
    ['retryRateLimited', { retryRateLimited: 'no' as unknown as boolean }],
    ['signal', { signal: {} as AbortSignal }],
  ])('names the option %s of one call when it cannot be right', async (field, options) => {
    const { transactions } = clientOf('https://h.example');
    expect(await failureOf(transactions.list({}, options))).toMatchObject({
      field,
      outcome: 'not_sent',
    });
  });
});
