import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { PartnerApiError } from '../errors.js';

const ORDER = {
  merchant_id: 1001,
  order_id: 7,
  Amount: '12.34',
  email: 'Ada.Okafor@shop.example',
  SplitFee: [{ partner_merchant_id: 501, type_id: 1, value: 0.3, value_type: 'amount' }],
};

async function refuse(body: string, fields: object = {}): Promise<PartnerApiError> {
  await using server = await startServer((response) => response.writeHead(422).end(body));
  const order = { ...ORDER, ...fields };
  const create = clientOf(server.url).checkoutSessions.create(order, {
    extraFields: { tip: 'ok' },
    headers: { 'X-Shop': 'shop-77' },
  });
  return (await failureOf(create)) as PartnerApiError;
}

describe("the provider's reason", () => {
  it.each([
    ['a message', '{"message":"The key is blocked"}', 'The key is blocked'],
    ['an error with a message', '{"error":{"code":4,"message":"Too early"}}', 'Too early'],
    [
      'a message and fields',
      '{"message":"Not valid","errors":[{"field":"Amount","message":"is needed"}]}',
      'Not valid; Amount: is needed',
    ],
    ['a problem', '{"title":"Blocked","detail":"Ask support"}', 'Blocked; Ask support'],
    ['plain text', 'Key blocked\n', 'Key blocked'],
    ['control characters', '{"message":"a\\u001b[2Jb\\u202ec"}', 'a [2Jb c'],
    ['a web page', '<html>no</html>', undefined],
    ['numbers only', '{"code":4}', undefined],
    ['nothing', '', undefined],
  ])('is read from %s', async (_title, body, expected) => {
    expect((await refuse(body)).providerMessage).toBe(expected);
  });

  it('has every value that was sent masked, however it is repeated', async () => {
    const words =
      'ada.okafor@SHOP.example of 1001 (order 7 of 70) wants 12.34, tip ok, token, share 0.3 of 501 at shop-77';
    const { providerMessage } = await refuse(JSON.stringify({ message: words }));
    expect(providerMessage).toBe(
      '[sent] of [sent] (order [sent] of 70) wants [sent], tip [sent], token, share [sent] of [sent] at [sent]',
    );
  });

  it.each([
    [{ email: 'ada@shop.example' }, 'ADA@SHOP.EXAMPLE is blocked', '[sent] is blocked'],
    [{ name: 'Zoë Weiß' }, 'Zoe\u0308 Weiß, ZOË WEISS', '[sent], [sent]'],
    [{ Amount: '68.0' }, '68.00 is not 68 or 168', '[sent] is not [sent] or 168'],
    [{ Amount: '68.00' }, '681, 168 or 68.015 for 68', '681, 168 or 68.015 for [sent]'],
    [{ Amount: '68' }, 'GBP 68.00, 68,0 of 680', 'GBP [sent], [sent] of 680'],
    [{ Amount: '1234.5' }, "GBP1,234.50, 1.234,5, 1'234.5", 'GBP[sent], [sent], [sent]'],
    [{ Amount: '0.30' }, 'a share of .3 or 0.3, 0.300', 'a share of .3 or [sent], [sent]'],
  ])('has %j masked in another form, too: %s', async (fields, message, expected) => {
    const { providerMessage } = await refuse(JSON.stringify({ message }), fields);
    expect(providerMessage).toBe(expected);
  });

  it('has the key and the merchant in the address masked', async () => {
    await using server = await startServer((response, { headers, url }) => {
      response.writeHead(404).end(`${url} ${String(headers['api_key'])}`);
    });
    const key = 'transfers-key';
    const client = clientOf(server.url, { transfersBaseUrl: server.url, transfersApiKey: key });
    expect(await failureOf(client.scheduledTransfers.list('M-77'))).toMatchObject({
      providerMessage: '/api/v1/schedule-transfer/[sent] [secret]',
    });
  });

  it('is cut after 200 characters, after the values were masked', async () => {
    const message = `${'x'.repeat(190)} Ada.Okafor@shop.example ${'y'.repeat(100)}`;
    const { providerMessage = '' } = await refuse(JSON.stringify({ message }));
    expect(providerMessage).toHaveLength(200);
    expect(providerMessage).toMatch(/x \[sent\] y…$/);
  });

  it('is in no message, no JSON and no log of the error', async () => {
    const error = await refuse('{"message":"canary"}');
    expect(error.providerMessage).toBe('canary');
    expect(String(error) + JSON.stringify(error) + (error.stack ?? '')).not.toContain('canary');
    expect(inspect({ error }, { depth: Infinity })).not.toContain('canary');
  });
});
