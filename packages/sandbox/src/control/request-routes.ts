import type { Response } from 'express';
import { z } from 'zod';
import { ApiError } from '../http/errors.js';
import { toCurl } from '../inspector/curl.js';
import type { RecordedCall } from '../inspector/recorded-call.js';
import { integer, text } from '../schemas.js';
import { listOf, recordedMessage, route, wholeNumber } from './route.js';
import type { SandboxControl } from './sandbox-control.js';

const HEARTBEAT_MS = 15_000;
/** A watcher that reads slower than this is cut off, and connects again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

const logged = z.object({
  number: integer,
  at: text,
  operation: text,
  method: text,
  path: text,
  state: z.enum(['pending', 'held', 'answered', 'dropped']),
  status: integer.optional(),
  milliseconds: integer.optional(),
  orderId: integer.optional(),
  merchantId: integer.optional(),
  sessionId: text.optional(),
  fault: text.optional(),
  sentKey: z.boolean(),
  framing: z.enum(['none', 'length', 'chunked']),
  bodyBytes: integer.optional(),
});

/** The calls of the API, and what happens now. */
export const REQUEST_ROUTES = [
  route({
    method: 'get',
    path: '/requests',
    command: 'requests',
    summary: 'List the calls of the API, oldest first',
    query: z.strictObject({
      operation: text.optional(),
      session: text.optional(),
      search: text.optional(),
      before: wholeNumber.optional(),
      limit: wholeNumber.optional(),
    }),
    answer: z.object({ requests: listOf(logged), counts: z.record(text, integer) }),
    handle: (control, { query: { session, ...query } }) => ({
      requests: control.requests({ ...query, sessionId: session }),
      counts: control.requestCounts(),
    }),
  }),
  route({
    method: 'delete',
    path: '/requests',
    command: 'requests clear',
    summary: 'Forget the calls',
    handle: (control) => control.clearRequests(),
  }),
  route({
    method: 'get',
    path: '/requests/:number',
    command: 'requests show <number>',
    summary: 'Read a call with headers, bodies and as curl, secrets masked',
    answer: logged
      .extend({ request: recordedMessage, response: recordedMessage, curl: text })
      .partial()
      .meta({ description: 'Headers and bodies while they are kept' }),
    handle(control, { id, request }) {
      const call = control.findRequest(Number(id));
      if (call === undefined) throw new ApiError(404, 'There is no request with this number.');
      const base = `${request.protocol}://${request.get('host') ?? ''}`;
      const curl = call.request && toCurl(call as RecordedCall, control.publicUrl ?? base);
      return { ...call, curl };
    },
  }),
  route({
    method: 'get',
    path: '/events',
    summary: 'Watch: request with each call as it comes and ends, change for anything more',
    mediaType: 'text/event-stream',
    handle: (control, { response }) => streamActivity(control, response),
  }),
];

function streamActivity(control: SandboxControl, response: Response): void {
  response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write('retry: 1000\n\n');
  const stop = control.activity.watch((event) => {
    const data = event.type === 'request' ? event.data : {};
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  });
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS).unref();
  response.on('close', () => {
    stop();
    clearInterval(heartbeat);
  });
}
