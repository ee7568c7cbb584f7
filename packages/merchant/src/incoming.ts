/** Requests that come in, in the two forms that back ends have: fetch's and Node's. */
import { invalidArgument, PayCheckoutError } from './errors.js';

/** What is used of Node's `IncomingMessage`, so of Express's request; `body` as parsers leave it there. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** The bytes as they came, where a platform or a parser keeps them. */
  readonly rawBody?: unknown;
  /** Whether a parser has read the stream. */
  readonly readableDidRead?: boolean;
  [Symbol.asyncIterator]?(): AsyncIterator<unknown>;
}

/** What is used of Node's `ServerResponse`. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

export type IncomingRequest = Request | NodeRequest;

/** Express middleware and fetch handler in one function. */
export interface RequestHandler {
  (request: NodeRequest, response: NodeResponse, next?: unknown): Promise<void>;
  (request: Request, context?: unknown): Promise<Response>;
}

export interface Answer {
  readonly status: number;
  readonly body?: object;
}

const MAX_BODY_BYTES = 256 * 1024;

/** A body that a signature can be checked over. */
export interface RawBody {
  readonly text: string;
  /** Whether a parser had read the body, so that the text was made from what it left. */
  readonly isRebuilt: boolean;
}

export function headerOf({ headers }: IncomingRequest, name: string): string {
  if (isFetchHeaders(headers)) return headers.get(name) ?? '';
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** @throws {PayCheckoutError} `raw_body_gone`, `body_too_large` */
export async function readRawBody(request: IncomingRequest): Promise<RawBody> {
  if (isFetchRequest(request)) {
    if (request.bodyUsed) throw rawBodyGone();
    return { text: await readText(request.body ?? []), isRebuilt: false };
  }
  const { body, rawBody, readableDidRead } = request;
  const kept = rawBody ?? body;
  if (typeof kept === 'string') return { text: kept, isRebuilt: false };
  if (kept instanceof Uint8Array) return { text: await readText([kept]), isRebuilt: false };
  // A parser that did not know the content type leaves the stream alone, and perhaps an empty object.
  if (readableDidRead !== true && request[Symbol.asyncIterator] !== undefined) {
    return { text: await readText(request as AsyncIterable<unknown>), isRebuilt: false };
  }
  if (typeof body !== 'object' || body === null) throw rawBodyGone();
  // The session server signs what JSON.stringify wrote, so that this gives the same text again; whether
  // it does is what the signature shows.
  return { text: JSON.stringify(body), isRebuilt: true };
}

/** Makes both forms of a handler from what it answers. */
export function handlerOf(answer: (request: IncomingRequest) => Promise<Answer>): RequestHandler {
  async function handle(request: IncomingRequest, response?: unknown): Promise<Response | void> {
    const isFetch = isFetchRequest(requireRequest(request));
    const reply = isFetch ? undefined : requireResponse(response);
    const { status, body } = await answer(request);
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    const headers = {
      'cache-control': 'no-store',
      ...(body !== undefined && { 'content-type': type }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (reply === undefined) return new Response(text ?? null, { status, headers });
    reply.statusCode = status;
    for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value);
    reply.end(text);
  }
  return handle as RequestHandler;
}

/** @throws {PayCheckoutError} before anything is done: what can't be answered would be done again and again */
function requireRequest(request: IncomingRequest): IncomingRequest {
  const { headers } = Object(request) as Partial<IncomingRequest>;
  if (typeof headers === 'object' && headers !== null) return request;
  throw invalidArgument(
    'request',
    "a fetch Request, or Node's IncomingMessage and ServerResponse. From a context: Hono's c.req.raw, " +
      "SvelteKit's and Astro's event.request",
  );
}

/** @throws {PayCheckoutError} */
function requireResponse(response: unknown): NodeResponse {
  const { setHeader, end } = Object(response) as Partial<NodeResponse>;
  if (typeof setHeader === 'function' && typeof end === 'function') {
    return response as NodeResponse;
  }
  throw invalidArgument(
    'response',
    "Node's ServerResponse, or Express's, with such a request. Fastify: (request, reply.raw) after " +
      'reply.hijack(). Koa: (ctx.req, ctx.res) with ctx.respond = false',
  );
}

function isFetchRequest(request: IncomingRequest): request is Request {
  return isFetchHeaders(request.headers);
}

/** Not `instanceof`: a framework may bring a class of its own. */
function isFetchHeaders(headers: IncomingRequest['headers']): headers is Headers {
  return typeof headers.get === 'function';
}

async function readText(chunks: AsyncIterable<unknown> | Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let length = 0;
  for await (const chunk of chunks as AsyncIterable<Uint8Array | string>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      throw new PayCheckoutError('body_too_large', 'The body is too large for an event.');
    }
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function rawBodyGone(): PayCheckoutError {
  return new PayCheckoutError(
    'raw_body_gone',
    'Something has read the body before. Put this handler before the body parser, or let the parser keep ' +
      'the bytes: express.json({ verify: (request, response, bytes) => { request.rawBody = bytes; } }).',
  );
}
