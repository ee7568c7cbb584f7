import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  API_KEY,
  problemOf,
  startAnswering,
  startConsole,
  type RunningConsole,
} from '../testing/running-console.js';

let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

const SCHEDULE = { id: 'sch_1001_daily', status: 'active' };

describe('the partner console', () => {
  it('answers under its own name and at its own address, and under no other name', async () => {
    const { port } = new URL(partner.address);
    expect(await partner.askAs('partner.localhost:4400', '/healthz')).toBe(200);
    expect(await partner.askAs(`127.0.0.1:${port}`, '/healthz')).toBe(200);
    for (const name of ['rebound.example', `rebound.example:${port}`, '127.0.0.1', 'localhost']) {
      expect(await partner.askAs(name, '/healthz')).toBe(421);
      expect(await partner.askAs(name, '/api/known')).toBe(421);
    }
  });

  it.each([
    { origin: 'http://shop.localhost:4100' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])('does nothing for another site’s page: %j', async (headers) => {
    for (const path of [
      '/api/operations/reports.updateSchedule',
      '/API/operations/reports.updateSchedule',
    ]) {
      const answer = await partner.post(path, SCHEDULE, headers);
      expect(problemOf(answer)).toMatchObject({ status: 403, code: 'cross_site' });
    }
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('takes what its own pages send, and JSON only', async () => {
    const headers = { origin: partner.address, 'sec-fetch-site': 'same-origin' };
    expect(
      (await partner.post('/api/operations/reports.updateSchedule', SCHEDULE, headers)).status,
    ).toBe(200);
    const form = { ...headers, 'Content-Type': 'text/plain' };
    const refused = await partner.post('/api/operations/reports.updateSchedule', SCHEDULE, form);
    expect(refused.status).toBe(400);
    const other = await partner.post('/api/operations/reports.updateSchedule', {
      ...SCHEDULE,
      colour: 'blue',
    });
    expect(problemOf(other).errors).toMatchObject([{ field: 'colour' }]);
  });

  it('may not be framed, loads its own files only, and is kept by no cache', async () => {
    const { headers } = await partner.get('/api/known');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('gives its pages what the team works with, and answers problems for what is not there', async () => {
    const { body } = await partner.get('/api/known');
    expect(body).toMatchObject({ partners: ['harbour-lane'], merchants: [{ id: 1001 }] });
    const nothing = await partner.get('/api/nothing');
    expect(problemOf(nothing)).toMatchObject({ status: 404, code: 'not_here' });
  });
});

describe('the API key', () => {
  it('is in no answer and in no log, even when the provider sends it back', async () => {
    const logged: unknown[] = [];
    for (const method of ['log', 'warn', 'error', 'info'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void logged.push(...words));
    }
    const key = `"${API_KEY}"`;
    const bodies = [
      { status: 400, body: `{"message":${key}}` },
      { status: 200, body: `{"success":true,"data":{"a":${key},"b":{"c":${key}}}}` },
      {
        status: 200,
        body: `{"data":{"transactions":[{"id":${key},"odd":${key}}],"timezone":${key}},"pagination":{"hasMore":false}}`,
      },
      { status: 200, body: `{"message":${key},"id":${key},"data":{"status_code":${key}}}` },
      { status: 500, body: key },
    ];
    for (const answer of bodies) {
      const provider = await startAnswering((came) => ({
        ...answer,
        body: answer.body.replaceAll(API_KEY, came || API_KEY),
      }));
      const echoed = await startConsole({ providerUrl: provider.url });
      await echoed.get('/api/operations/analytics.partner?partner_name=a');
      await echoed.get('/api/transactions');
      await echoed.get('/api/transactions.csv');
      await echoed.get('/api/transfers?mid=1001');
      await echoed.post('/api/operations/reports.updateSchedule', SCHEDULE);
      await echoed.post('/api/operations/merchants.associate', {
        action: 'reactivate',
        merchantId: '1001',
      });
      await echoed.post('/api/webhooks', { url: 'https://hooks.example/in' });
      await echoed.post('/api/operations/webhooks.test', { webhookId: 'wh_1' });
      for (const { text, headers } of echoed.answers) {
        expect(text + JSON.stringify([...headers])).not.toContain(API_KEY);
      }
      expect(echoed.answers.some(({ text }) => text.includes('[secret]'))).toBe(true);
      await echoed.close();
      await provider.close();
    }
    expect(JSON.stringify(logged)).not.toContain(API_KEY);
    vi.restoreAllMocks();
  });
});
