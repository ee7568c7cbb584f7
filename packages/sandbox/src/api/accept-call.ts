import type { Request, RequestHandler, Response } from 'express';
import type { SandboxContext } from '../context.js';
import type { Operation } from '../operation.js';
import type { LoggedRequest } from '../request-log.js';
import { requireApiKey } from './api-key.js';
import { readJsonBody } from './json-body.js';

const entries = new WeakMap<Response, LoggedRequest>();

/** What differs between operations before their work begins. */
export interface CallRules {
  /** Default `required`. */
  readonly key?: 'required' | 'ignored';
  /** Default `required`. */
  readonly body?: 'required' | 'optional';
}

/** What every call of the API goes through: it is logged, its key is checked, its body is read. */
export function acceptCall(
  context: SandboxContext,
  operation: Operation,
  rules: CallRules = {},
): RequestHandler[] {
  return [
    logCall(context, operation),
    ...(rules.key === 'ignored' ? [] : [requireApiKey(context.settings.apiKey)]),
    ...readJsonBody(rules.body ?? 'required'),
  ];
}

/** The log entry of the call that this response answers. */
export function loggedRequestOf(response: Response): LoggedRequest {
  const entry = entries.get(response);
  if (entry === undefined) throw new Error('acceptCall must come before this handler.');
  return entry;
}

function logCall(context: SandboxContext, operation: Operation): RequestHandler {
  return (request, response, next) => {
    const entry = context.requests.add({
      operation,
      at: context.clock.nowText(),
      sentKey: request.get('api_key') !== undefined,
      framing: framingOf(request),
    });
    const length = request.get('content-length');
    if (length !== undefined) entry.bodyBytes = Number(length);
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

function framingOf(request: Request): LoggedRequest['framing'] {
  if (request.get('transfer-encoding') !== undefined) return 'chunked';
  return request.get('content-length') === undefined ? 'none' : 'length';
}
