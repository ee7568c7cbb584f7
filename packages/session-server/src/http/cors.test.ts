import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { allowPages } from './cors.js';

let server: LocalServer;
afterEach(() => server.close());

it('a page may read an answer as soon as its origin is in a merchant entry, and no longer', async () => {
  let merchants = [{ origins: ['https://old.example'] }];
  const app = express();
  app.use(allowPages({ all: () => Promise.resolve(merchants) }, 'https://pay.example'));
  app.use((_request, response) => void response.end());
  server = await LocalServer.start(app);
  const mayRead = async (origin?: string): Promise<boolean> => {
    const { headers } = await fetch(server.url, {
      headers: origin === undefined ? {} : { origin },
    });
    expect(headers.get('vary')).toBe('Origin');
    return headers.get('access-control-allow-origin') === (origin ?? '-');
  };
  const asked = ['https://old.example', 'https://new.example', 'https://pay.example', undefined];
  expect(await Promise.all(asked.map(mayRead))).toEqual([true, false, true, false]);
  merchants = [{ origins: ['https://new.example'] }];
  expect(await Promise.all(asked.map(mayRead))).toEqual([false, true, true, false]);
});
