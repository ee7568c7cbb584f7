import {
  TransportError,
  type Transport,
  type TransportHead,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/** What platforms say when a connection was never made. Anything else may have been sent. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A transport over `fetch`, for runtimes that have nothing else. It cannot send a body with GET, and
 * it seldom knows that nothing was sent, so more failures have the outcome `unknown`.
 */
export class FetchTransport implements Transport {
  readonly #fetch: typeof fetch;

  constructor(options: { readonly fetch?: typeof fetch } = {}) {
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { method, url, headers, body, signal } = request;
    if (method === 'GET' && body !== undefined) {
      throw new TransportError('unsupported', { sent: false });
    }
    if (signal.aborted) throw new TransportError('aborted', { sent: false });
    let head: TransportHead | undefined;
    try {
      const response = await this.#fetch(url, {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
        signal,
        redirect: 'manual',
        cache: 'no-store',
        credentials: 'omit',
      });
      head = readHead(response);
      return { ...head, body: await readBody(response, head, request.maxResponseBytes) };
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      if (signal.aborted) throw new TransportError('aborted', { sent: true, head });
      const sent = head !== undefined || !NEVER_CONNECTED.has(codeOf(cause));
      throw new TransportError(head === undefined ? 'connection' : 'cut_off', {
        sent,
        head,
        cause,
      });
    }
  }
}

function readHead(response: Response): TransportHead {
  // Browsers hide the status of a redirect that is not followed.
  const status = response.type === 'opaqueredirect' ? 302 : response.status;
  return { status, headers: Object.fromEntries(response.headers) };
}

async function readBody(
  response: Response,
  head: TransportHead,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    const chunk = part.value as Uint8Array;
    length += chunk.length;
    if (length > maxBytes) {
      await reader?.cancel();
      throw new TransportError('too_large', { sent: true, head });
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const found = code ?? cause?.code;
  return typeof found === 'string' ? found : '';
}
