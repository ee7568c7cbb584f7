import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.js';
import { SILENT_OBSERVER } from '../observer.js';
import { LocalServer } from '../testing/local-server.js';
import { Door, type DoorHandler } from './door.js';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A server whose every request is answered at the door. */
function serve(handle: DoorHandler): Promise<LocalServer> {
  const door = new Door(SILENT, SILENT_OBSERVER);
  return LocalServer.start((request, response) => {
    door.answer(request, response, '/', handle);
  });
}

describe('the door', () => {
  it('answers what its handler throws as a problem, with the id of the request', async () => {
    const server = await serve(() => Promise.reject(new AppError(418, 'not_found', 'A teapot.')));
    const answer = await fetch(server.url);
    expect(answer.status).toBe(418);
    expect(await answer.json()).toMatchObject({
      detail: 'A teapot.',
      requestId: answer.headers.get('x-request-id'),
    });
    await server.close();
  });

  it('cuts off an answer whose handler fails in the middle, and goes on', async () => {
    let asked = 0;
    const server = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200);
      if (asked > 1) {
        response.end('whole');
        return Promise.resolve();
      }
      response.write('half');
      return Promise.reject(new Error('in the middle'));
    });
    const ask = async () => (await fetch(server.url)).text();
    await expect(ask()).rejects.toThrow();
    expect(await ask()).toBe('whole');
    await server.close();
  });
});
