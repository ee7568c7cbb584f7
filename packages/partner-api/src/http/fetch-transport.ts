import {
  checkHeaders,
  type Transport,
  TransportError,
  type TransportHead,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/**
 * Sends by `fetch`: the default where there is no Node, and for a `fetch` of your own. It cannot say
 * whether a failed request was sent, so the outcome of such a failure is `unknown`.
 */
export class FetchTransport implements Transport {
  readonly #fetch: typeof fetch;
  readonly #closing = new AbortController();

  constructor(options: { readonly fetch?: typeof fetch } = {}) {
    this.#fetch = options.fetch ?? fetch;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { url, method, headers, body, maxResponseBytes } = request;
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    if (signal.aborted) throw new TransportError('aborted', { sent: false });
    checkHeaders(headers);
    if (method === 'GET' && body !== undefined) {
      throw new TransportError('unsupported', { sent: false });
    }
    const policy = { redirect: 'manual', cache: 'no-store', credentials: 'omit' } as const;
    const init = { method, headers, signal, ...policy, ...(body === undefined ? {} : { body }) };
    let head: TransportHead | undefined;
    try {
      const response = await this.#fetch.call(undefined, url, init);
      // Browsers hide the status of a redirect that is not followed.
      const status = response.type === 'opaqueredirect' ? 302 : response.status;
      head = { status, headers: Object.fromEntries(response.headers) };
      return { ...head, body: await readBody(response, head, maxResponseBytes) };
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      const problem = head === undefined ? 'connection' : 'cut_off';
      throw new TransportError(signal.aborted ? 'aborted' : problem, {
        sent: true,
        head,
        cause: signal.aborted ? undefined : ((cause as Error).cause ?? cause),
      });
    }
  }

  close(): void {
    this.#closing.abort(new Error('the client was closed'));
  }
}

async function readBody(
  response: Response,
  head: TransportHead,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Its chunks are bytes, which its type does not say everywhere.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    length += chunk.length;
    if (length > maxBytes) throw new TransportError('too_large', { sent: true, head });
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
