import { describe, expect, it } from 'vitest';
import { createSandbox, startSandbox as startForTest } from './index.js';
import { API_KEY, startSandbox } from './testing/test-sandbox.js';

describe('startSandbox', () => {
  it('is all that a test needs: an address, a key, and an end', async () => {
    const sandbox = await startForTest();
    const list = () =>
      fetch(`${sandbox.url}/v1/transactions/list`, {
        method: 'POST',
        headers: { api_key: sandbox.apiKey, 'content-type': 'application/json' },
        body: '{}',
      });
    expect((await list()).status).toBe(200);
    await sandbox[Symbol.asyncDispose]();
    await expect(list()).rejects.toThrow('fetch failed');
  });
});

describe('createSandbox', () => {
  it('listens only after listen(), on a free port of this machine', async () => {
    const sandbox = createSandbox({ apiKey: API_KEY });
    const { port, url } = await sandbox.listen();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(url)).headers.get('x-pay-sandbox')).toBe('1');
    await sandbox.close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('can be closed before it listens, while it starts, and twice', async () => {
    const sandbox = createSandbox({ apiKey: API_KEY });
    await sandbox.close();
    await expect(sandbox.listen()).rejects.toThrow('closed');
    const starting = createSandbox({ apiKey: API_KEY });
    const listening = starting.listen();
    await Promise.all([starting.close(), starting.close()]);
    await expect(fetch((await listening).url)).rejects.toThrow('fetch failed');
    await starting.close();
  });

  it('closes while a call is held', async () => {
    const test = await startSandbox();
    test.sandbox.control.addFault({ operation: 'create-session', fault: 'hold' });
    const held = test.createSession().then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => test.sandbox.control.faults().held).toBe(1);
    await test.sandbox.close();
    expect(['answered', 'cut']).toContain(await held);
  });

  it('says when the port is taken', async () => {
    const first = await startSandbox();
    const second = createSandbox({ apiKey: API_KEY });
    await expect(second.listen(Number(new URL(first.url).port))).rejects.toThrow('EADDRINUSE');
    await second.close();
  });

  it.each([
    ['an address that is not percent-encoded', 'GET', '/api/v1/schedule-transfer/%zz', {}, 400],
    ['a body that is not compressed as it says', 'POST', '/create-session', 'gzip', 400],
    ['a compression that it does not know', 'POST', '/create-session', 'odd', 415],
  ])('refuses %s as the caller’s mistake', async (_title, method, path, encoding, expected) => {
    const test = await startSandbox();
    const isPost = typeof encoding === 'string';
    const headers = { 'content-type': 'application/json', api_key: API_KEY };
    const answer = await test.send(method, path, {
      headers: isPost ? { ...headers, 'content-encoding': encoding } : headers,
      ...(isPost ? { body: '{}' } : {}),
    });
    expect([answer.status, answer.text]).toEqual([expected, expect.not.stringContaining('itself')]);
  });

  it('refuses an empty key, and marks its 404 as the sandbox’s', async () => {
    expect(() => createSandbox({ apiKey: '' })).toThrow('apiKey');
    const test = await startSandbox();
    const answer = await test.send('GET', '/nothing');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-pay-sandbox')).toBe('1');
  });
});
