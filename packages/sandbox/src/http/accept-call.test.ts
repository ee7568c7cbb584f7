import { expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';

it.each([
  '/v1/transactions/list',
  '/v1/reports/update-schedule',
  '/merchants-sandbox/api/v1/merchants/merchant-association',
  '/v1/analytics/partner_analytics',
  '/create-session',
  '/developer-service/webhooks/create',
  '/developer-service/webhooks/test',
])('%s requires the api_key', async (path) => {
  const test = await startSandbox();
  const wrong = await test.post(path, {}, { api_key: 'guessed-key' });
  expect([wrong.status, wrong.text]).toEqual([401, expect.not.stringContaining('guessed-key')]);
  const headers = { 'content-type': 'application/json' };
  const missing = await test.send('POST', path, { headers, body: '{}' });
  expect(missing.status).toBe(401);
});
