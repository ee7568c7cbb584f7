import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

export const REQUEST_ID = 'x-request-id';

/** Gives each request an id that is in its answer, in its errors and in the log. */
export const requestId: RequestHandler = (_request, response, next) => {
  response.setHeader(REQUEST_ID, randomUUID());
  next();
};

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(REQUEST_ID));
}
