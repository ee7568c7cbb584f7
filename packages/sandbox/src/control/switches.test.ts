import { describe, expect, it } from 'vitest';
import { SWITCH_NAMES, type DescribedSwitch } from '../switches.js';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

async function readSwitches(test: TestSandbox): Promise<DescribedSwitch[]> {
  const { body } = await test.send('GET', '/_sandbox/switches');
  return body['switches'] as DescribedSwitch[];
}

async function valueOf(test: TestSandbox, name: string): Promise<unknown> {
  return (await readSwitches(test)).find((described) => described.name === name)?.value;
}

describe('the switches', () => {
  it('are shown, each with its values, its default, its variable and its section', async () => {
    const test = await startSandbox({ maxLimit: 50 });
    const switches = await readSwitches(test);
    expect(switches.map(({ name }) => name)).toEqual(SWITCH_NAMES);
    expect(switches.find(({ name }) => name === 'maxLimit')).toEqual({
      name: 'maxLimit',
      value: 50,
      default: 1000,
      section: '8',
      what: 'a larger `limit` gets this many rows',
      environment: 'SANDBOX_MAX_LIMIT',
      schema: { type: 'integer', minimum: 1, maximum: 100_000 },
    });
    for (const { section, what } of switches) expect([section, what]).not.toContain('undefined');
  });

  it('change what the next call gets, without a restart', async () => {
    const test = await startSandbox({ history: { count: 9 } });
    const key = async () => {
      const url = 'https://platform.example/';
      const { body } = await test.post('/developer-service/webhooks/create', { url });
      return (body['data'] as { hmac_key: string }).hmac_key;
    };
    expect([await test.listIds(), await key()]).toEqual([
      expect.objectContaining({ length: 9 }),
      expect.not.stringContaining('whsec_'),
    ]);
    expect((await test.readTransfers('1001')).status).toBe(200);
    const change = { maxLimit: 2, hmacKeyFormat: 'whsec', transfersKey: 'required' };
    expect((await test.setSwitches(change)).status).toBe(200);
    expect([await test.listIds(), await key()]).toEqual([
      expect.objectContaining({ length: 2 }),
      expect.stringContaining('whsec_'),
    ]);
    expect((await test.readTransfers('1001')).status).toBe(401);
  });

  it('hold a key that no one can read back', async () => {
    const test = await startSandbox();
    expect(await valueOf(test, 'webhookUrlKey')).toBe('none');
    const { text } = await test.setSwitches({ webhookUrlKey: 'invented-webhook-url-key' });
    expect(await valueOf(test, 'webhookUrlKey')).toBe('********-key');
    expect(text).not.toContain('invented');
    expect(test.sandbox.control.switches.webhookUrlKey).toBe('invented-webhook-url-key');
  });

  it('go back to the start one by one, or all by a reset', async () => {
    const test = await startSandbox({ maxLimit: 50 });
    await test.setSwitches({ maxLimit: 60, hmacKeyFormat: 'whsec' });
    await test.setSwitches({ maxLimit: null });
    expect([await valueOf(test, 'maxLimit'), await valueOf(test, 'hmacKeyFormat')]).toEqual([
      50,
      'whsec',
    ]);
    await test.post('/_sandbox/reset', {});
    expect(await valueOf(test, 'hmacKeyFormat')).toBe('hex');
  });

  it.each([
    [{ maxLimit: 0 }, 'maxLimit'],
    [{ maxLimits: 5 }, 'maxLimits'],
    [{ defaultTimezone: 'Mars' }, 'defaultTimezone'],
    [{ requiredFields: ['colour'] }, 'requiredFields.0'],
  ])('refuse %j, and change nothing', async (change, field) => {
    const test = await startSandbox();
    const { status, body } = await test.setSwitches({ defaultLimit: 7, ...change });
    expect([status, body['errors']]).toMatchObject([400, [{ field }]]);
    expect(await valueOf(test, 'defaultLimit')).toBe(20);
  });
});
