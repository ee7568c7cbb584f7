import { expect, it } from 'vitest';
import type { SandboxOptions } from './settings.js';
import { startReceiver, startSandbox, type Answer } from './testing/test-sandbox.js';

const FIXED: Partial<SandboxOptions> = {
  fixedTime: '2026-03-10T07:00:00.000Z',
  history: { count: 300, seed: 'a', until: '2026-03-10T00:00:00.000Z', days: 30 },
  webhookSigning: 'standard-webhooks',
};

/** What every operation answers to the same requests, and what a receiver gets. */
async function recordAnswers(options: Partial<SandboxOptions>): Promise<unknown[]> {
  const test = await startSandbox(options);
  const receiver = await startReceiver();
  const answers: unknown[] = [];
  const note = (answer: Answer): Answer => {
    const headers = [...answer.headers].filter(([name]) => name !== 'date');
    const text = answer.text.replaceAll(test.url, 'http://sandbox');
    answers.push({ status: answer.status, headers: headers.sort(), text: withoutPort(text) });
    return answer;
  };
  const send = async (path: string, body: unknown) => note(await test.post(path, body));
  await send('/developer-service/webhooks/create', { url: receiver.url });
  const created = await send('/create-session', {
    merchant_id: 1001,
    order_id: 71,
    Amount: '12.34',
    WebhookUrl: receiver.url,
  });
  const session = String(created.body['session_id']);
  note(await test.pay(session, '9000000000000019'));
  note(await test.pay(session, '9000000000000415'));
  const [id] = await test.listIds();
  await send(`/_sandbox/transactions/${String(id)}/refund`, { amount: '2.00', as: 'add' });
  await send('/_sandbox/transactions', { row: { orderRef: 'A1001.72' } });
  test.sandbox.control.clock.advance(86_400);
  await send('/v1/transactions/list', { limit: 50 });
  await send('/v1/analytics/partner_analytics', { partner_name: 'harbour-lane' });
  const report = await send('/v1/reports/update-schedule', { id: 'sch_1001_daily' });
  const { pathname } = new URL(String(report.body['download_url']));
  note(await test.send('GET', pathname));
  const merchant = { action: 'reactivate', merchantId: '1001' };
  await send('/merchants-sandbox/api/v1/merchants/merchant-association', merchant);
  answers.push((await test.readTransfers('1001')).text);
  note(await test.send('GET', '/_sandbox/sessions'));
  const payments = () =>
    receiver.received.filter(({ text }) => text.includes('"status":"SUCCESS"'));
  await expect.poll(() => payments().length).toBe(4);
  const signed = payments().map(({ text, headers }) =>
    [
      text,
      headers['webhook-id'],
      headers['webhook-timestamp'],
      headers['webhook-signature'],
    ].join(),
  );
  return [...answers, signed.sort()];
}

/** A receiver has a port of its own. */
function withoutPort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1');
}

it('answers the same requests with the same bytes, with a fixed time and seed', async () => {
  const first = await recordAnswers(FIXED);
  expect(await recordAnswers(FIXED)).toEqual(first);
  expect(JSON.stringify(first)).toContain('v1,');
});

it('answers with others with another seed, or when the clock runs', async () => {
  const first = await recordAnswers(FIXED);
  const other = { ...FIXED, history: { ...FIXED.history, seed: 'b' } };
  for (const options of [other, { history: FIXED.history }]) {
    const answers = await recordAnswers(options as Partial<SandboxOptions>);
    expect(answers[1]).not.toEqual(first[1]);
  }
});
