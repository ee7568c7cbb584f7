import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';
import type { LoggedRequest } from '../request-log.js';
import type { FaultKind, FaultOrder } from './fault-order.js';
import type { Faults } from './faults.js';

const PIECES = 16;

/** Everything that a way of answering needs. */
interface Answer {
  readonly reply: unknown;
  readonly fault: FaultOrder;
  readonly faults: Faults;
  readonly response: Response;
  readonly entry: LoggedRequest;
}

const WAYS: Partial<Record<FaultKind, (answer: Answer) => void | Promise<void>>> = {
  'drop-after-commit': ({ response }) => void response.destroy(),
  'no-content': ({ response }) => void response.status(204).end(),
  gzip({ reply, response }) {
    response
      .set('Content-Encoding', 'gzip')
      .type('json')
      .send(gzipSync(JSON.stringify(reply)));
  },
  async hold({ reply, faults, response, entry }) {
    entry.state = 'held';
    await faults.hold();
    if (!response.destroyed) response.json(reply);
  },
  async 'truncated-body'({ reply, response }) {
    await writeHalf(startBody(response, reply), response);
    response.destroy();
  },
  async 'stalled-body'({ reply, faults, response, entry }) {
    const body = startBody(response, reply);
    await writeHalf(body, response);
    entry.state = 'held';
    await faults.hold();
    response.end(body.subarray(middleOf(body)));
  },
  async 'slow-body'({ reply, fault, response }) {
    await drip(startBody(response, reply), response, fault.seconds ?? 2);
  },
};

/** Sends a reply, as badly as the fault says. */
export async function sendReply(
  reply: unknown,
  fault: FaultOrder | undefined,
  parts: Pick<Answer, 'faults' | 'response' | 'entry'>,
): Promise<void> {
  const way = fault === undefined ? undefined : WAYS[fault.fault];
  if (fault === undefined || way === undefined) parts.response.json(reply);
  else await way({ reply, fault, ...parts });
}

function startBody(response: Response, reply: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(reply));
  response.type('json').set('Content-Length', String(body.length));
  return body;
}

function middleOf(body: Buffer): number {
  return Math.floor(body.length / 2);
}

/** Writes the first half, and waits until it has left. */
async function writeHalf(body: Buffer, response: Response): Promise<void> {
  await new Promise((resolve) => response.write(body.subarray(0, middleOf(body)), resolve));
}

async function drip(body: Buffer, response: Response, seconds: number): Promise<void> {
  const size = Math.ceil(body.length / PIECES);
  for (let start = 0; start < body.length && !response.destroyed; start += size) {
    response.write(body.subarray(start, start + size));
    await pause((seconds * 1000) / PIECES, undefined, { ref: false });
  }
  response.end();
}
