import { expect, it } from 'vitest';
import { OPERATIONS } from './logged-request.js';
import { GOLDEN_FILES, shapeOf, type GoldenFile } from './testing/golden-files.js';
import { API_KEY, startReceiver, startSandbox, type TestSandbox } from './testing/test-sandbox.js';

/** Two rows of every kind lie in the month that the golden requests ask for. */
const history = { count: 2000, until: '2026-03-31T00:00:00.000Z', days: 60 };

function pathOf(golden: GoldenFile): string {
  return golden.request.path
    .replace('{base_url}', '')
    .replace('{transfers_base_url}', '')
    .replace('{merchants_sandbox_base_url}', '/merchants-sandbox');
}

async function exchange(test: TestSandbox, golden: GoldenFile, webhookId: string) {
  const { method, headers, body } = golden.request;
  const text = JSON.stringify(body)?.replace('<WEBHOOK_ID>', webhookId);
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('<API_KEY>', API_KEY)]),
  );
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  return test.sendRaw(method, pathOf(golden), { ...sent, ...length }, text);
}

it.each(GOLDEN_FILES)('answers $name as the specification spells it', async (golden) => {
  const test = await startSandbox({
    history,
    ...(golden.variant === undefined ? {} : { transactionVariant: golden.variant }),
  });
  const receiver = await startReceiver([], 'ok');
  const created = await test.post('/developer-service/webhooks/create', { url: receiver.url });
  const { webhook_id: webhookId } = created.body['data'] as { webhook_id: string };
  const answer = await exchange(test, golden, webhookId);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
  expect(shapeOf(JSON.parse(answer.text), golden.open)).toEqual(shapeOf(golden.reply, golden.open));
  if (golden.delivery !== undefined) {
    expect(receiver.received.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      golden.delivery,
    ]);
  }
});

it('has a golden file for every operation', () => {
  expect(new Set(GOLDEN_FILES.map(({ operation }) => operation))).toEqual(new Set(OPERATIONS));
});
