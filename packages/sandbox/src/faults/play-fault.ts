import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import type { VirtualClock } from '../clock.js';
import { ApiError, invalidBody, parseBody, sendGatewayPage } from '../http/errors.js';
import type { Activity } from '../inspector/activity.js';
import type { LoggedRequest } from '../logged-request.js';
import { faultBody } from './fault-body.js';
import { isFaultOf, type FaultKind, type FaultTarget } from './fault-table.js';
import type { SandboxSettings } from '../settings.js';
import type { Fault } from './fault.js';
import type { FaultQueue } from './faults.js';

const PIECES = 16;
const DEFAULT_SECONDS = 2;

/** What a fault needs of the sandbox: the queue it waits in, the seed of its chances, the time. */
interface Parts {
  readonly faults: FaultQueue;
  readonly settings: Pick<SandboxSettings, 'history'>;
  readonly clock: VirtualClock;
}

/** Those of a fault in an answer: a held call is announced. */
interface AnswerParts extends Parts {
  readonly activity: Activity;
}

/** Plays the next fault of a target in the answers of the routes after this. */
export function failAs(context: AnswerParts, target: FaultTarget): RequestHandler {
  return async (_request, response, next) => {
    const { isAnswered } = await playFault(context, target, response);
    if (!isAnswered) next();
  };
}

/**
 * Plays the next fault of a target, or that of the header. A fault before the work answers now; one
 * after it changes what `send()` of the response does.
 */
export async function playFault(
  context: AnswerParts,
  target: FaultTarget,
  response: Response,
): Promise<{ readonly fault?: Fault; readonly isAnswered: boolean }> {
  const sent = response.req.get('x-sandbox-fault');
  const fault = sent === undefined ? await meetFault(context, target) : readFault(sent, target);
  if (fault === undefined) return { isAnswered: false };
  if (sent !== undefined) await waitFor(context, fault);
  const entry = loggedRequestIn(response);
  if (entry !== undefined) entry.fault = fault.fault;
  if (failBeforeWork(fault, response)) return { fault, isAnswered: true };
  const sender = SENDERS[fault.fault];
  const send = response.send.bind(response);
  if (sender !== undefined) {
    response.send = (body: string | Buffer) => {
      response.send = send;
      void sender({ body: Buffer.from(body), send, fault, context, response });
      return response;
    };
  }
  return { fault, isAnswered: false };
}

/** Takes the next fault of a target, if it hits, and waits as long as it says. */
export async function meetFault(
  parts: Parts,
  target: FaultTarget,
  signal?: AbortSignal,
): Promise<Fault | undefined> {
  const fault = parts.faults.take(target, parts.settings.history.seed);
  if (fault !== undefined) await waitFor(parts, fault, signal);
  return fault;
}

/** Waits by the clock. */
async function waitFor(
  { faults, settings, clock }: Parts,
  { fault, latencySeconds }: Fault,
  signal?: AbortSignal,
): Promise<void> {
  if (latencySeconds === undefined && fault !== 'wait') return;
  const [least, most] = latencySeconds ?? [DEFAULT_SECONDS, DEFAULT_SECONDS];
  await clock.pause(least + faults.draw(settings.history.seed) * (most - least), signal);
}

/** The body in pieces over `seconds`, cut anywhere. */
export async function* sendSlowly(body: Buffer, { seconds = DEFAULT_SECONDS }: Fault) {
  const size = Math.ceil(body.length / PIECES);
  for (let start = 0; start < body.length; start += size) {
    yield body.subarray(start, start + size);
    await pause((seconds * 1000) / PIECES, undefined, { ref: false });
  }
}

/** Reads `drop-after-commit`, or `error; status=503`: the header's fields are those of the control route. */
function readFault(header: string, target: FaultTarget): Fault {
  const [fault = '', ...parts] = header.split(';').map((part) => part.trim());
  const fields = parts.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return [name, readValue(value)];
  });
  const body = { operation: target, fault, ...(Object.fromEntries(fields) as object) };
  const read = parseBody(faultBody, body, 'x-sandbox-fault');
  if (!isFaultOf(target, read.fault)) {
    const message = `is not a fault of ${target}`;
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
  readonly body: Buffer;
  /** Sends a body as it would have been sent. */
  readonly send: (body?: Buffer) => unknown;
  readonly fault: Fault;
  readonly context: AnswerParts;
  readonly response: Response;
}

/** How the faults that come after the work send the answer. */
const SENDERS: Partial<Record<FaultKind, (answer: Answer) => unknown>> = {
  'drop-after-commit': ({ response }) => response.destroy(),
  'no-content': ({ response, send }) => {
    response.status(204);
    send();
  },
  gzip({ body, response, send }) {
    response.set('Content-Encoding', 'gzip');
    send(gzipSync(body));
  },
  async hold({ body, send, ...held }) {
    await hold(held);
    if (!held.response.destroyed) send(body);
  },
  async 'truncated-body'({ body, response }) {
    await writeHalf(body, response);
    response.destroy();
  },
  async 'stalled-body'({ body, ...held }) {
    await writeHalf(body, held.response);
    await hold(held);
    held.response.end(body.subarray(middleOf(body)));
  },
  async 'slow-body'({ body, fault, response }) {
    response.set('Content-Length', String(body.length));
    for await (const piece of sendSlowly(body, fault)) {
      if (response.destroyed) return;
      response.write(piece);
    }
    response.end();
  },
};

async function hold({ context, response }: Pick<Answer, 'context' | 'response'>): Promise<void> {
  const entry = loggedRequestIn(response);
  if (entry !== undefined) {
    entry.state = 'held';
    context.activity.announce({ type: 'request', data: entry });
  }
  await context.faults.hold();
}

/** Only calls of the API are logged. */
function loggedRequestIn(response: Response): LoggedRequest | undefined {
  return response.locals['loggedRequest'] as LoggedRequest | undefined;
}

function middleOf(body: Buffer): number {
  return Math.floor(body.length / 2);
}

/** Writes the first half and waits until it is sent. */
async function writeHalf(body: Buffer, response: Response): Promise<void> {
  response.set('Content-Length', String(body.length));
  await new Promise((resolve) => response.write(body.subarray(0, middleOf(body)), resolve));
}
