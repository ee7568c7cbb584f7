import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listener, startListener } from './listener.js';

const HERE = { host: '127.0.0.1', port: 0 };

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

/** Sends what a client says at once, and answers all that it hears until it is hung up on. */
function hear({ port }: Listener, said: string): Promise<string> {
  const socket = connect(port, HERE.host, () => socket.write(said));
  return readText(socket);
}

describe('a client that takes its time', () => {
  it.each([
    ['its headers', 'POST / HTTP/1.1\r\nHost: x\r\nX-More:'],
    ['its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'],
    [
      'chunks without end',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    ],
  ])('over %s is hung up on', async (_what, said) => {
    const limits = {
      headersTimeout: 50,
      requestTimeout: 100,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 20,
      inactivityTimeout: 5000,
    };
    listener = await startListener((request) => request.resume(), HERE, limits);
    expect(await hear(listener, said)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('over reading the answer is hung up on', async () => {
    const limits = {
      headersTimeout: 5000,
      requestTimeout: 5000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 20,
      inactivityTimeout: 100,
    };
    const closed = Promise.withResolvers<void>();
    const answer = Buffer.alloc(64 * 2 ** 20);
    listener = await startListener(
      (_, response) => {
        response.once('close', closed.resolve);
        response.end(answer);
      },
      HERE,
      limits,
    );
    const socket = connect(listener.port, HERE.host).pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed.promise;
    expect(socket.bytesRead).toBeLessThan(answer.length);
    socket.destroy();
  });

  it('between two requests finds the connection open for longer than proxies keep it', async () => {
    listener = await startListener((_, response) => response.end(), HERE);
    const { headers } = await fetch(`http://127.0.0.1:${String(listener.port)}/`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  });
});

it('a listener that closes says whether a request had to be cut off', async () => {
  const asked = Promise.withResolvers<void>();
  listener = await startListener(() => {
    asked.resolve();
  }, HERE);
  const heard = hear(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await asked.promise;
  expect(await listener.close()).toBe(false);
  expect(await heard).toBe('');
  listener = await startListener((_, response) => response.end(), HERE);
  await fetch(`http://127.0.0.1:${String(listener.port)}/`);
  expect(await listener.close()).toBe(true);
});

it('a request that names two hosts is refused, and its connection closed', async () => {
  let requests = 0;
  listener = await startListener((_, response) => {
    requests += 1;
    response.end();
  }, HERE);
  const twice = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  expect(await hear(listener, twice + twice)).toMatch(/^HTTP\/1\.1 400 (?!.*HTTP\/1)/s);
  expect(requests).toBe(0);
});

it('a request that expects to go on behind another one is answered in its turn, and whole', async () => {
  const first = Promise.withResolvers<void>();
  listener = await startListener((request, response) => {
    if (request.url === '/second') {
      response.setHeader('connection', 'close').end(Buffer.from('second'));
      first.resolve();
    } else void first.promise.then(() => response.end('first'));
  }, HERE);
  const ask = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const heard = await hear(listener, ask('/', '') + ask('/second', 'Expect: 100-continue\r\n'));
  const [, second] = heard.split('\r\n\r\nfirst');
  expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\nsecond$/);
});

it('a request that expects to go on is asked to', async () => {
  listener = await startListener((_, response) => {
    response.setHeader('connection', 'close').end('done');
  }, HERE);
  const said = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n';
  expect(await hear(listener, said)).toMatch(
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
  );
});

describe('a listener that closes', () => {
  it('ends the connection of a proxy with the next answer on it', async () => {
    const answers: (() => void)[] = [];
    listener = await startListener((_, response) => {
      answers.push(() => response.end('answered'));
    }, HERE);
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(listener.port, HERE.host, () => socket.write(request));
    const heard = readText(socket);
    await expect.poll(() => answers.length).toBe(1);
    const closed = listener.close();
    socket.write(request);
    answers[0]?.();
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    expect((await heard).match(/^connection: .*$/gim)).toEqual([
      'Connection: keep-alive',
      'connection: close',
    ]);
    await closed;
  });
});
