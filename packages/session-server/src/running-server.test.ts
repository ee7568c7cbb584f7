import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listener, startListener } from './running-server.js';

const HERE = { host: '127.0.0.1', port: 0 };

let listener: Listener;
afterEach(() => listener.close());

/** Sends what a client says at once, and answers all that it hears until it is hung up on. */
function hear(said: string): Promise<string> {
  const socket = connect(listener.port, HERE.host, () => socket.write(said));
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
    };
    listener = await startListener((request) => request.resume(), HERE, limits);
    expect(await hear(said)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('between two requests finds the connection open for longer than proxies keep it', async () => {
    listener = await startListener((_, response) => response.end(), HERE);
    const { headers } = await fetch(`http://127.0.0.1:${String(listener.port)}/`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  });
});
