import { describe, expect, it } from 'vitest';
import { API_KEY, startSandbox } from '../testing/test-sandbox.js';

const CHANGE = {
  request_id: 'r-1',
  data: [
    { schedule_transfer_id: 'st_1001_1', schedule: '0 7 * * 1', description: 'é', refrence: 'R' },
    { schedule_transfer_id: 'st_new', currency: 'EUR' },
  ],
};

describe('GET {transfers_base_url}/api/v1/schedule-transfer/<mid>', () => {
  it('lists the transfers of a merchant without any key', async () => {
    const test = await startSandbox();
    const answer = await test.readTransfers('1001');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      {
        id: 'st_1001_1',
        merchantAccount: 'account-1001',
        currency: 'GBP',
        schedule: '30 6 * * 1-5',
        status: 'active',
      },
      expect.objectContaining({ schedule: 'Last working day of each month' }),
    ]);
    expect(test.sandbox.control.requests()).toMatchObject([
      { operation: 'scheduled-transfers', sentKey: false, framing: 'none', merchantId: 1001 },
    ]);
  });

  it('accepts a body on the GET, and changes the transfers that it names', async () => {
    const test = await startSandbox();
    const changed = [
      { id: 'st_1001_1', schedule: '0 7 * * 1' },
      { id: 'st_1001_2' },
      { id: 'st_new', currency: 'EUR', status: 'active' },
    ];
    expect((await test.readTransfers('1001', CHANGE)).body).toMatchObject(changed);
    expect((await test.readTransfers('1001')).body).toMatchObject(changed);
    expect((await test.readTransfers('1002')).body).toHaveLength(2);
    const [withBody] = test.sandbox.control.requests();
    expect(withBody).toMatchObject({
      framing: 'length',
      bodyBytes: Buffer.byteLength(JSON.stringify(CHANGE)),
    });
  });

  it('requires the key only when set so, and logs that one was sent', async () => {
    const open = await startSandbox();
    await open.readTransfers('1001', undefined, { api_key: 'whatever' });
    expect(open.sandbox.control.requests()).toMatchObject([{ sentKey: true, status: 200 }]);
    const closed = await startSandbox({ transfersKey: 'required' });
    expect((await closed.readTransfers('1001')).status).toBe(401);
    expect((await closed.readTransfers('1001', undefined, { api_key: API_KEY })).status).toBe(200);
  });

  it('can have a prefix, and answers a web page without it', async () => {
    const test = await startSandbox({ transfersPrefix: '/transfers' });
    const path = '/api/v1/schedule-transfer/1001';
    expect((await test.sendRaw('GET', `/transfers${path}`)).status).toBe(200);
    const lost = await test.sendRaw('GET', path);
    expect(lost.status).toBe(404);
    expect(lost.headers['content-type']).toContain('text/html');
  });

  it.each([
    ['data.0.schedule', { data: [{ schedule: 'sometimes' }] }],
    ['data.0.reference', { data: [{ reference: 'spelled well' }] }],
    ['data', { data: {} }],
    ['request_id', { request_id: 7 }],
  ])('refuses %s by name', async (field, body) => {
    const test = await startSandbox();
    const answer = await test.readTransfers('1001', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ field }] });
  });

  it('accepts JSON only, and answers 404 for an unknown merchant', async () => {
    const test = await startSandbox();
    const asText = await test.readTransfers('1001', {}, { 'content-type': 'text/plain' });
    expect(asText.status).toBe(415);
    expect((await test.readTransfers('9')).status).toBe(404);
  });
});
