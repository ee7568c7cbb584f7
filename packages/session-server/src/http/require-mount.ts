import type { RequestHandler } from 'express';
import { AppError } from '../errors.js';

/**
 * Says what is wrong where a platform has mounted the router so that it cannot work, at the first request:
 * below a path, where its addresses lead nowhere, or behind a body parser, which takes what a webhook is
 * verified by.
 */
export const requireMount: RequestHandler = (request, _response, next) => {
  const [, path = ''] = /^(.*)\/v1$/i.exec(request.baseUrl) ?? [];
  if (path !== '') {
    throw misplaced(`The router is mounted at "${path}". Mount it at the root: app.use(router).`);
  }
  if (request.readableDidRead) {
    throw misplaced('The body was read before it came here. Mount the router before body parsers.');
  }
  next();
};

function misplaced(message: string): AppError {
  return new AppError(500, 'internal_error', message);
}
