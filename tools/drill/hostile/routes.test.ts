import express, { Router } from 'express';
import { expect, it } from 'vitest';
import { listRoutes } from './routes.ts';

it('every route of an app is found, however deep it is mounted', () => {
  const answer = (_request: unknown, response: express.Response) => void response.end();
  const inner = Router().get('/orders/:order', answer).put('/orders/:order', answer);
  const own = express().get('/d', answer);
  const outer = Router().use('/v1', Router().use(inner), own).all(['/a', '/b'], answer);
  const app = express().use(outer).post('/c', answer);
  expect(listRoutes(app, 'public').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/orders/{order}',
    'PUT /v1/orders/{order}',
    'GET /v1/d',
    'OPTIONS /a',
    'OPTIONS /b',
    'POST /c',
  ]);
});
