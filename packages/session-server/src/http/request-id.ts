import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Gives each request an id that is in its answer, in its errors and in the log. */
export const requestId: RequestHandler = (_request, response, next) => {
  const id = randomUUID();
  response.locals['requestId'] = id;
  response.setHeader('x-request-id', id);
  next();
};

export function requestIdOf(response: { readonly locals: Record<string, unknown> }): string {
  return String(response.locals['requestId']);
}
