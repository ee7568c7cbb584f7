import type { RequestHandler, Response } from 'express';
import type { SandboxContext } from '../context.js';
import type { LoggedRequest, Operation } from '../request-log.js';
import { requireApiKey } from './api-key.js';
import { readJsonBody } from './json-body.js';

const entries = new WeakMap<Response, LoggedRequest>();

/** What every call of the API goes through: it is logged, its key is checked, its body is read. */
export function acceptCall(context: SandboxContext, operation: Operation): RequestHandler[] {
  return [logCall(context, operation), requireApiKey(context.settings.apiKey), ...readJsonBody()];
}

/** The log entry of the call that this response answers. */
export function loggedRequestOf(response: Response): LoggedRequest {
  const entry = entries.get(response);
  if (entry === undefined) throw new Error('acceptCall must come before this handler.');
  return entry;
}

function logCall(context: SandboxContext, operation: Operation): RequestHandler {
  return (_request, response, next) => {
    const entry = context.requests.add(operation, context.clock.nowText());
    entries.set(response, entry);
    response.on('close', () => {
      if (!response.writableFinished) entry.state = 'dropped';
    });
    response.on('finish', () => {
      entry.state = 'answered';
      entry.status = response.statusCode;
    });
    next();
  };
}
