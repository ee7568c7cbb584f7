import type { Request, Response } from 'express';
import { gunzipSync } from 'node:zlib';
import type { LoggedRequest } from '../logged-request.js';
import { maskHeaders, maskText } from './mask.js';

/** Longer bodies are cut: a page of 1,000 rows is half a megabyte. */
export const MAX_BODY_BYTES = 16_384;
/** Masked before the cut, so that no secret is cut in the middle, where it is not recognised. */
const MARGIN_BYTES = 256;

/** Headers and body of one direction, secrets masked. */
export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when it was not read: a refused key, a wrong content type. */
  readonly body?: string;
  /** Length of the whole body. */
  readonly bytes?: number;
  /** Whether `body` is only the first part. */
  readonly isCut?: boolean;
}

/** A call with everything that was sent and answered. */
export interface RecordedCall extends LoggedRequest {
  readonly request: RecordedMessage;
  /** Undefined while the call waits. */
  readonly response?: RecordedMessage;
}

export type Messages = Pick<RecordedCall, 'request' | 'response'>;

/** The first bytes of a body, and how many it has. */
class BodyCapture {
  #chunks: Uint8Array[] = [];
  #kept = 0;
  bytes = 0;

  add(chunk: unknown, encoding: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const data =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : chunk;
    this.bytes += data.length;
    const room = MAX_BODY_BYTES + MARGIN_BYTES - this.#kept;
    if (room <= 0) return;
    this.#chunks.push(data.subarray(0, room));
    this.#kept += Math.min(room, data.length);
  }

  take(isPacked: boolean): Buffer {
    const body = Buffer.concat(this.#chunks);
    if (!isPacked) return body;
    try {
      return gunzipSync(body, { maxOutputLength: 8 * MAX_BODY_BYTES });
    } catch {
      return Buffer.from('(a packed body)');
    }
  }
}

/** Keeps what a response writes. @returns the two messages, once the response has ended */
export function captureCall(
  request: Request,
  response: Response,
  secrets: () => readonly string[],
): () => Messages {
  const sent = new BodyCapture();
  /* oxlint-disable typescript/unbound-method -- bound by `call` */
  const { write, end } = response;
  /* oxlint-enable typescript/unbound-method */
  response.write = function (this: Response, ...args: Parameters<typeof write>) {
    sent.add(args[0], args[1]);
    return write.apply(this, args);
  } as typeof write;
  response.end = function (this: Response, ...args: Parameters<typeof end>) {
    sent.add(args[0], args[1]);
    return end.apply(this, args);
  } as typeof end;
  return () => {
    const known = secrets();
    const body = (response.locals['requestBody'] ?? undefined) as Buffer | undefined;
    return {
      request: makeMessage(request.headers, body, body?.length ?? 0, known),
      ...(response.headersSent && {
        response: makeMessage(
          response.getHeaders(),
          sent.take(response.getHeader('content-encoding') === 'gzip'),
          sent.bytes,
          known,
        ),
      }),
    };
  };
}

/** The option `verify` of a body parser: keeps the bytes for the record. */
export function keepRequestBody(_request: unknown, response: unknown, body: Buffer): void {
  (response as Response).locals['requestBody'] = body;
}

/** @param bytes of the whole body, of which `body` may be the first part */
export function makeMessage(
  headers: Parameters<typeof maskHeaders>[0],
  body: Buffer | undefined,
  bytes: number,
  known: readonly string[],
): RecordedMessage {
  const masked = maskHeaders(headers, known);
  if (body === undefined) return { headers: masked };
  const isCut = bytes > MAX_BODY_BYTES;
  const text = maskText(body.toString('utf8'), known);
  return {
    headers: masked,
    body: isCut ? text.slice(0, MAX_BODY_BYTES) : text,
    bytes,
    ...(isCut && { isCut }),
  };
}
