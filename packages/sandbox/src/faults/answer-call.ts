import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';
import type { SandboxContext } from '../context.js';
import { loggedRequestOf } from '../http/accept-call.js';
import { ApiError, invalidBody, parseBody, sendGatewayPage } from '../http/errors.js';
import type { Operation } from '../request-log.js';
import { changeReply, type Reply } from './change-reply.js';
import { faultBody } from './fault-body.js';
import { isFaultOf, type Fault, type FaultKind, type FaultQueue } from './faults.js';

const PIECES = 16;

/**
 * Does the work of a valid call and answers it, or plays the next fault of its operation. Refuse
 * invalid calls before this, so that they use up no fault.
 */
export async function answerCall(
  { faults, activity, settings, clock }: SandboxContext,
  operation: Operation,
  response: Response,
  work: () => Reply | Promise<Reply>,
  sentCursor?: string,
): Promise<void> {
  const { seed } = settings.history;
  const sent = response.req.get('x-sandbox-fault');
  const fault = sent === undefined ? faults.take(operation, seed) : readFault(sent, operation);
  if (fault?.latencySeconds !== undefined) {
    const [least, most] = fault.latencySeconds;
    await clock.pause(least + faults.draw(seed) * (most - least));
  }
  if (fault !== undefined) loggedRequestOf(response).fault = fault.fault;
  if (fault !== undefined && failBeforeWork(fault, response)) return;
  const reply = changeReply(fault?.fault, await work(), sentCursor);
  const send = fault && SENDERS[fault.fault];
  if (fault === undefined || send === undefined) response.json(reply);
  else await send({ reply, fault, faults, activity, response });
}

/** Reads `drop-after-commit`, or `error; status=503`: the header's fields are those of the control route. */
function readFault(header: string, operation: Operation): Fault {
  const [fault = '', ...parts] = header.split(';').map((part) => part.trim());
  const fields = parts.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return [name, readValue(value)];
  });
  const body = { operation, fault, ...(Object.fromEntries(fields) as object) };
  const read = parseBody(faultBody, body, 'x-sandbox-fault');
  if (!isFaultOf(operation, read.fault)) {
    const message = `is not a fault of ${operation}`;
    throw invalidBody('x-sandbox-fault', { field: 'fault', message });
  }
  return read;
}

function readValue(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Plays a fault that comes before any work. @returns whether it has answered. */
function failBeforeWork(fault: Fault, response: Response): boolean {
  switch (fault.fault) {
    case 'error':
      throw makeError(fault);
    case 'html':
      sendGatewayPage(response, fault.status ?? 502);
      return true;
    case 'redirect':
      response.redirect(fault.status ?? 302, fault.location ?? 'https://elsewhere.example/login');
      return true;
    case 'drop-before-work':
      response.destroy();
      return true;
    default:
      return false;
  }
}

function makeError({ status = 500, retryAfterSeconds, retryAfterAs }: Fault): ApiError {
  const seconds = retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
  const message = 'This error was set through the control routes.';
  if (seconds === undefined) return new ApiError(status, message);
  // An HTTP date has no fractions of a second: rounded up, so that no caller comes too early.
  const moment = new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000);
  const retryAfter = retryAfterAs === 'date' ? moment.toUTCString() : String(seconds);
  return new ApiError(status, message, { retryAfter });
}

interface Answer {
  readonly reply: unknown;
  readonly fault: Fault;
  readonly faults: FaultQueue;
  readonly activity: SandboxContext['activity'];
  readonly response: Response;
}

/** How the faults that come after the work send the reply. */
const SENDERS: Partial<Record<FaultKind, (answer: Answer) => void | Promise<void>>> = {
  'drop-after-commit': ({ response }) => void response.destroy(),
  'no-content': ({ response }) => void response.status(204).end(),
  gzip({ reply, response }) {
    response
      .set('Content-Encoding', 'gzip')
      .type('json')
      .send(gzipSync(JSON.stringify(reply)));
  },
  async hold({ reply, response, ...parts }) {
    await hold(response, parts);
    if (!response.destroyed) response.json(reply);
  },
  async 'truncated-body'({ reply, response }) {
    await writeHalf(startBody(response, reply), response);
    response.destroy();
  },
  async 'stalled-body'({ reply, response, ...parts }) {
    const body = startBody(response, reply);
    await writeHalf(body, response);
    await hold(response, parts);
    response.end(body.subarray(middleOf(body)));
  },
  async 'slow-body'({ reply, fault, response }) {
    const body = startBody(response, reply);
    const size = Math.ceil(body.length / PIECES);
    for (let start = 0; start < body.length && !response.destroyed; start += size) {
      response.write(body.subarray(start, start + size));
      await pause(((fault.seconds ?? 2) * 1000) / PIECES, undefined, { ref: false });
    }
    response.end();
  },
};

async function hold(
  response: Response,
  { faults, activity }: Pick<Answer, 'faults' | 'activity'>,
): Promise<void> {
  const entry = loggedRequestOf(response);
  entry.state = 'held';
  activity.announce({ type: 'request', data: entry });
  await faults.hold();
}

function startBody(response: Response, reply: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(reply));
  response.type('json').set('Content-Length', String(body.length));
  return body;
}

function middleOf(body: Buffer): number {
  return Math.floor(body.length / 2);
}

/** Writes the first half and waits until it is sent. */
async function writeHalf(body: Buffer, response: Response): Promise<void> {
  await new Promise((resolve) => response.write(body.subarray(0, middleOf(body)), resolve));
}
