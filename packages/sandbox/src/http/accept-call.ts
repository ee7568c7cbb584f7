/** What every call of the API goes through: it is logged, its key is checked, its body is read. */
import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Accounts, ApiKey } from '../accounts.js';
import type { SandboxContext } from '../context.js';
import { maskText } from '../inspector/mask.js';
import { captureCall, keepRequestBody } from '../inspector/recorded-call.js';
import type { LoggedRequest, Operation } from '../logged-request.js';
import { ApiError } from './errors.js';

/** How operations differ before their work begins. */
export interface CallRules {
  /** Default always. */
  readonly isKeyRequired?: () => boolean;
  /** Default `required`. */
  readonly body?: 'required' | 'optional';
}

export function acceptCall(
  context: SandboxContext,
  operation: Operation,
  { isKeyRequired = () => true, body = 'required' }: CallRules = {},
): RequestHandler[] {
  return [
    logCall(context, operation),
    requireApiKey(context.accounts, isKeyRequired),
    ...readJsonBody(body),
  ];
}

/** The log entry of the call that this response answers. */
export function loggedRequestOf(response: Response): LoggedRequest {
  return response.locals['loggedRequest'] as LoggedRequest;
}

/** Records the call with what is sent and answered. */
export function logCall(
  { requests, clock, secrets }: SandboxContext,
  operation: LoggedRequest['operation'],
): RequestHandler {
  return (request, response, next) => {
    const length = request.get('content-length');
    const startedAt = performance.now();
    const entry = requests.add({
      operation,
      at: clock.nowText(),
      method: request.method,
      path: maskText(request.originalUrl, secrets()),
      sentKey: request.get('api_key') !== undefined,
      framing: framingOf(request),
      ...(length !== undefined && { bodyBytes: Number(length) }),
    });
    response.locals['loggedRequest'] = entry;
    const messages = captureCall(request, response, secrets);
    response.on('finish', () => {
      entry.state = 'answered';
      entry.status = response.statusCode;
    });
    response.on('close', () => {
      if (!response.writableFinished) entry.state = 'dropped';
      entry.milliseconds = Math.round(performance.now() - startedAt);
      requests.finish(entry, messages());
    });
    next();
  };
}

/** Records a call to an address where there is nothing: often the mistake that someone looks for. */
export function recordUnknownCall(context: SandboxContext): Router {
  return Router().use(
    (request, _response, next) => {
      const mode = request.get('sec-fetch-mode');
      // What a browser asks for of its own: a page that was opened, its icon.
      next(mode === 'navigate' || mode === 'no-cors' ? 'router' : undefined);
    },
    logCall(context, 'unknown'),
    express.text({ type: () => true, limit: '64kb', verify: keepRequestBody }),
  );
}

function framingOf(request: Request): LoggedRequest['framing'] {
  if (request.get('transfer-encoding') !== undefined) return 'chunked';
  return request.get('content-length') === undefined ? 'none' : 'length';
}

/** The reseller whose merchants the key of this call knows; undefined: all. */
export function resellerOfCall(response: Response): number | undefined {
  return (response.locals['apiKey'] as ApiKey | undefined)?.resellerId;
}

/** Requires a known `api_key` header (spec 5.1). */
function requireApiKey(accounts: Accounts, isRequired: () => boolean): RequestHandler {
  return (request, response, next) => {
    const given = request.get('api_key');
    const key = given === undefined ? undefined : accounts.findKey(given);
    response.locals['apiKey'] = key;
    if (key === undefined && isRequired()) {
      const message =
        given === undefined
          ? 'The api_key header is missing. Send your API key in it.'
          : 'The api_key header is not a known API key.';
      throw new ApiError(401, message);
    }
    next();
  };
}

/** Reads a JSON body and refuses every other content type (spec 5.3). */
export function readJsonBody(body: 'required' | 'optional' = 'required'): RequestHandler[] {
  return [
    (request, _response, next) => {
      // `is` returns null when there is no body.
      const type = request.is('application/json');
      if (type === false || (type === null && body === 'required')) {
        throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.');
      }
      next();
    },
    express.json({ limit: '64kb', verify: keepRequestBody }),
  ];
}
