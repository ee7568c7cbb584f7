import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { AssociateMerchantParams } from './merchants.js';

const MESSAGE = 'The signup link was reactivated and extended by 14 days.';
const REACTIVATE = { action: 'reactivate', merchantId: '1001' };

describe('merchants.associate', () => {
  it.each([
    ['sandbox', '/test/merchants'],
    ['production', '/live/merchants'],
  ] as const)('goes to the %s address, whose path prefix survives', async (environment, prefix) => {
    await using server = await startServer((response) =>
      answerJson(response, { message: MESSAGE }),
    );
    const client = clientOf('http://127.0.0.1:9/elsewhere', {
      environment,
      merchantsBaseUrl: {
        sandbox: `${server.url}/test/merchants`,
        production: `${server.url}/live/merchants/`,
      },
    });
    expect(await client.merchants.associate(REACTIVATE)).toEqual({ message: MESSAGE });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: `${prefix}/api/v1/merchants/merchant-association`,
      headers: { api_key: 'test-key' },
      body: '{"action":"reactivate","merchantId":"1001"}',
    });
  });

  it('takes one address for whichever environment is meant', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { message: MESSAGE }),
    );
    const client = clientOf('http://127.0.0.1:9', { merchantsBaseUrl: `${server.url}/m` });
    await client.merchants.associate(REACTIVATE);
    expect(server.requests[0]?.url).toBe('/m/api/v1/merchants/merchant-association');
  });

  it('has no address by default: it does not guess one from baseUrl', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { message: MESSAGE }),
    );
    const error = await failureOf(clientOf(server.url).merchants.associate(REACTIVATE));
    expect(error).toMatchObject({ field: 'merchantsBaseUrl', outcome: 'not_sent' });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['environment', { sandbox: 'https://a.example' }],
    ['merchantsBaseUrl.production', { production: 'a.example' }],
    ['merchantsBaseUrl', 'not an address'],
  ])('names %s when the addresses cannot be right', (field, merchantsBaseUrl) => {
    expect(() => clientOf('https://h.example', { merchantsBaseUrl })).toThrow(field);
  });

  it('passes other actions, and turns a merchant number of the list into the text that it is here', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { message: MESSAGE }),
    );
    const client = clientOf(server.url, { merchantsBaseUrl: server.url });
    await client.merchants.associate({ action: 'detach', merchantId: 1001 });
    expect(server.requests[0]?.body).toBe('{"action":"detach","merchantId":"1001"}');
  });

  it('gives the message as it came, and no date of its own', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { message: 'Done.' }),
    );
    const client = clientOf(server.url, { merchantsBaseUrl: server.url });
    expect(Object.keys(await client.merchants.associate(REACTIVATE))).toEqual(['message']);
  });

  it('is not repeated when it may have arrived, for it might extend twice, and says what to do', async () => {
    await using server = await startServer((response) => response.destroy());
    const client = clientOf(server.url, { merchantsBaseUrl: server.url });
    const error = await failureOf(client.merchants.associate(REACTIVATE));
    expect(error).toMatchObject({ outcome: 'unknown', attempt: 1 });
    expect((error as Error).message).toContain('try the link first');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['merchantId', { action: 'reactivate', merchantId: 1.5 }],
    ['merchantId', { action: 'reactivate' }],
    ['action', { action: '', merchantId: 1 }],
  ])('names %s when it cannot be right', async (field, params) => {
    const client = clientOf('https://h.example', { merchantsBaseUrl: 'https://m.example/x' });
    expect(
      await failureOf(client.merchants.associate(params as AssociateMerchantParams)),
    ).toMatchObject({ name: 'InvalidRequestError', field });
  });
});
