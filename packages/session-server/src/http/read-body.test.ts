import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { readBody } from './read-body.js';

describe('a body', () => {
  it('whose sender hangs up before its end is the sender’s failure, and none of ours', async () => {
    const failure = Promise.withResolvers<unknown>();
    const server = await LocalServer.start((request) => {
      readBody(request, 1000).then(failure.reject, failure.resolve);
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', () => {
      socket.end();
    });
    expect(await failure.promise).toMatchObject({ status: 400, code: 'invalid_request' });
    await server.close();
  });
});
