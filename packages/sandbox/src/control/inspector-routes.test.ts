import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordedCall } from '../inspector/recorded-call.js';
import { MAX_BODY_BYTES } from '../inspector/recorded-call.js';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const API_KEY = 'a-long-invented-api-key';

async function requests(test: TestSandbox, query = ''): Promise<RecordedCall[]> {
  const { body } = await test.send('GET', `/_sandbox/requests${query}`);
  return body['requests'] as RecordedCall[];
}

async function inspect(test: TestSandbox, number: number) {
  const answer = await test.send('GET', `/_sandbox/requests/${number}`);
  return { text: answer.text, call: answer.body as unknown as RecordedCall & { curl: string } };
}

describe('the record of a call', () => {
  it('has both headers and bodies, and the call as curl', async () => {
    const test = await startSandbox();
    const { body } = await test.createSession({ Amount: '12.30' });
    const { call } = await inspect(test, 1);
    expect(call).toMatchObject({
      operation: 'create-session',
      method: 'POST',
      path: '/create-session',
      status: 200,
      milliseconds: expect.any(Number) as number,
      request: { headers: { api_key: '********', 'content-type': 'application/json' } },
      response: { headers: { 'x-pay-sandbox': '1' }, body: JSON.stringify(body) },
    });
    expect(call.request.body).toContain('"Amount":"12.30"');
    expect(call.curl).toContain(`curl -X POST '${test.url}/create-session'`);
    expect(call.curl).toContain('api_key: $SANDBOX_API_KEY');
    expect((await test.send('GET', '/_sandbox/requests/2')).status).toBe(404);
  });

  it('shows no key of the API, of a webhook or of a card, wherever it was sent', async () => {
    const test = await startSandbox({ apiKey: API_KEY });
    const send = (path: string, body: object) => test.post(path, body, { api_key: API_KEY });
    const hook = { url: 'https://platform.example/', hmac_key: 'a-long-invented-hmac-key' };
    await send('/developer-service/webhooks/create', hook);
    await send('/developer-service/webhooks/create', { url: 'https://platform.example/' });
    const generated = test.sandbox.control.endpoints().at(-1)?.hmac_key.slice(-4);
    await send(`/create-session?api_key=${API_KEY}`, {
      name: '9000 0000 0000 0001',
      email: API_KEY,
    });
    await send('/v1/transactions/list', { cursor: hook.hmac_key });
    const details = await Promise.all([1, 2, 3, 4].map((number) => inspect(test, number)));
    const shown = details.map(({ text }) => text).join() + JSON.stringify(await requests(test));
    expect(shown).not.toMatch(/a-long-invented|0000 0001/);
    expect(details[1]?.call.response?.body).toContain(`"hmac_key":"********${generated}"`);
    expect(details[2]?.text).toContain('********0001');
  });

  it('has refused calls, and those to an address where there is nothing', async () => {
    const test = await startSandbox();
    await test.post('/create-session', {}, { api_key: 'guessed' });
    await test.post('/v1/create-session', { merchant_id: 1001 });
    expect(await requests(test)).toMatchObject([
      { operation: 'create-session', status: 401 },
      { operation: 'unknown', status: 404, path: '/v1/create-session' },
    ]);
    expect((await inspect(test, 1)).call.request).not.toHaveProperty('body');
    expect((await inspect(test, 2)).call.request.body).toBe('{"merchant_id":1001}');
  });

  it('says which fault was played, and what came through', async () => {
    const test = await startSandbox();
    const play = async (fault: string) => {
      await test.post('/_sandbox/faults', { operation: 'create-session', fault });
      await test.createSession().catch(() => undefined);
    };
    await play('drop-after-commit');
    await play('gzip');
    await expect
      .poll(() => requests(test))
      .toMatchObject([
        { state: 'dropped', fault: 'drop-after-commit' },
        { state: 'answered', fault: 'gzip' },
      ]);
    expect((await inspect(test, 1)).call).not.toHaveProperty('response');
    expect((await inspect(test, 2)).call.response?.body).toMatch(/^\{"session_id"/);
  });

  it('keeps the beginning of a long body, and its length', async () => {
    const test = await startSandbox({ history: { count: 200 } });
    const list = await test.post('/v1/transactions/list', { limit: 200 });
    const { response } = (await inspect(test, 1)).call;
    expect(response).toMatchObject({ isCut: true, bytes: Buffer.byteLength(list.text) });
    expect(list.text.startsWith(response?.body ?? 'x')).toBe(true);
    expect(response?.body?.length).toBeLessThanOrEqual(MAX_BODY_BYTES);
  });
});

describe('the list of calls', () => {
  it('is searched, filtered, counted and read page by page', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ MerchantReference: 'Needle.1' });
    await test.openSession({ order_id: 72 });
    await test.list({});
    const numbers = async (query: string) =>
      (await requests(test, query)).map((call) => call.number);
    expect(await numbers('?search=needle')).toEqual([1]);
    expect(await numbers(`?search=${session}`)).toEqual([1]);
    expect(await numbers(`?session=${session}`)).toEqual([1]);
    expect(await numbers('?operation=transactions-list')).toEqual([3]);
    expect(await numbers('?limit=2')).toEqual([2, 3]);
    expect(await numbers('?limit=2&before=2')).toEqual([1]);
    const { body } = await test.send('GET', '/_sandbox/requests?limit=0');
    expect(body['counts']).toEqual({ 'create-session': 2, 'transactions-list': 1 });
    expect((await test.send('GET', '/_sandbox/requests?limit=many')).status).toBe(400);
    await test.send('DELETE', '/_sandbox/requests');
    expect(await requests(test)).toEqual([]);
  });
});

describe('the file of calls', () => {
  function makeFile(text = ''): string {
    const folder = mkdtempSync(join(tmpdir(), 'pay-sandbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'requests.jsonl');
    writeFileSync(file, text);
    return file;
  }

  it('brings them back after a restart, and counts on', async () => {
    const requestLog = join(makeFile(), '../new.jsonl');
    const first = await startSandbox({ requestLog });
    await first.createSession({ MerchantReference: 'Kept.1' });
    await first.sandbox.close();
    expect(statSync(requestLog).mode & 0o777).toBe(0o600);
    const second = await startSandbox({ requestLog });
    await second.createSession();
    expect(await requests(second)).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect((await inspect(second, 1)).call.request.body).toContain('Kept.1');
  });

  it('may end in a torn line, and have lines of others', async () => {
    const requestLog = makeFile();
    const first = await startSandbox({ requestLog });
    await first.createSession();
    await first.createSession();
    await first.sandbox.close();
    appendFileSync(requestLog, 'no JSON\nnull\n{"number":3,"at":"20');
    const second = await startSandbox({ requestLog });
    expect(await requests(second)).toMatchObject([{ number: 1 }, { number: 2 }]);
    await second.createSession();
    await second.sandbox.close();
    const third = await startSandbox({ requestLog });
    expect(await requests(third)).toHaveLength(3);
  });

  it('holds no secret, and nothing after a reset', async () => {
    const requestLog = makeFile();
    const test = await startSandbox({ requestLog, apiKey: API_KEY });
    await test.post('/create-session', { name: '9000000000000001' }, { api_key: API_KEY });
    expect(readFileSync(requestLog, 'utf8')).toMatch(/"name":"\*{8}0001"|\*{8}0001/);
    expect(readFileSync(requestLog, 'utf8')).not.toContain(API_KEY);
    await test.post('/_sandbox/reset', undefined);
    expect(readFileSync(requestLog, 'utf8')).toBe('');
  });
});

describe('server-sent events', () => {
  /** Watches, and gives what was written so far. */
  async function watch(test: TestSandbox): Promise<() => string> {
    const response = await new Promise<IncomingMessage>((resolve) => {
      const request = startRequest(`${test.url}/_sandbox/events`, resolve);
      onTestFinished(() => void request.destroy());
      request.end();
    });
    expect(response.headers['content-type']).toMatch(/^text\/event-stream\b/);
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('error', () => undefined);
    return () => text;
  }

  it('announce a call when it comes and when it ends, without its bodies', async () => {
    const test = await startSandbox();
    const read = await watch(test);
    const session = await test.openSession({ email: 'robin@example.test' });
    await expect.poll(read).toContain('"state":"answered"');
    const events = [...read().matchAll(/^event: request\ndata: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as unknown,
    );
    expect(events).toMatchObject([
      { number: 1, state: 'pending' },
      { number: 1, state: 'answered', status: 200, sessionId: session },
    ]);
    expect(read()).not.toMatch(/robin|invented-key/);
  });

  it('announce what a control route or a page changes', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const read = await watch(test);
    const count = () => read().split('event: change').length - 1;
    await test.post('/_sandbox/clock', { advanceSeconds: 1 });
    await expect.poll(count).toBe(1);
    await test.pay(session, '9000000000000001');
    await expect.poll(count).toBe(2);
  });
});
