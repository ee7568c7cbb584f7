import { type Agent as HttpAgent, type AgentOptions, globalAgent } from 'node:http';
import {
  type Transport,
  TransportError,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from '@pay-checkout/partner-api';
import {
  ACCEPTED_ENCODINGS,
  decompress,
  joinHeaders,
  NodeTransport,
} from '@pay-checkout/partner-api/node';
import { Agent, type Dispatcher, errors } from 'undici';
import { joinChunks } from '../join-chunks.js';

/**
 * The way to the provider: undici, at half the processor time that `node:http` takes for a request,
 * unless Node was told to use proxies (`NODE_USE_ENV_PROXY=1`), which its own agent knows.
 */
export function createProviderTransport(): Transport {
  const { options } = globalAgent as HttpAgent & { readonly options: AgentOptions };
  return options.proxyEnv === undefined ? new UndiciTransport() : new NodeTransport();
}

/**
 * A transport over undici, with HTTP/1.1 and keep-alive. The system looks the provider's name up, in
 * a thread: of shops, only those with `allowPrivateAddress` need these threads, too.
 */
export class UndiciTransport implements Transport {
  // The client's own time limits are the ones that count, and its signal tells of them.
  readonly #agent = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0 });

  async send(request: TransportRequest): Promise<TransportReply> {
    const { head, chunks } = await this.#exchange(request);
    const body = joinChunks(chunks);
    if (head.headers['content-encoding'] === undefined) return { ...head, body };
    return { ...head, body: await decompress(head, body, request.maxResponseBytes) };
  }

  close(): void {
    void this.#agent.destroy();
  }

  #exchange(request: TransportRequest): Promise<{ head: TransportHead; chunks: Buffer[] }> {
    const { url, method, headers, body, signal, maxResponseBytes } = request;
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let head: TransportHead | undefined;
      let bytes = 0;
      const chunks: Buffer[] = [];

      const fail = (problem: TransportProblem, cause?: unknown): void => {
        signal.removeEventListener('abort', onAbort);
        // A request begins when it is written to a connection that stands, and not before.
        const error = new TransportError(problem, { sent: controller !== undefined, head, cause });
        reject(error);
        controller?.abort(error);
      };
      const onAbort = (): void => {
        fail('aborted');
      };
      if (signal.aborted) {
        fail('aborted');
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(begun) {
          if (signal.aborted) begun.abort(new TransportError('aborted', { sent: false }));
          else controller = begun;
        },
        onResponseStart(_, status, incoming) {
          head = { status, headers: joinHeaders(incoming) };
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (bytes > maxResponseBytes) fail('too_large');
          else chunks.push(chunk);
        },
        onResponseEnd() {
          signal.removeEventListener('abort', onAbort);
          if (head) resolve({ head, chunks });
        },
        onResponseError(_, cause) {
          fail(problemOf(cause, head), cause);
        },
      };
      const path = `${url.pathname}${url.search}`;
      const sent = { ...headers, 'Accept-Encoding': ACCEPTED_ENCODINGS };
      try {
        this.#agent.dispatch(
          { origin: url.origin, path, method, headers: sent, body: body ?? null },
          handler,
        );
      } catch (cause) {
        fail('connection', cause);
      }
    });
  }
}

function problemOf(error: Error, head: TransportHead | undefined): TransportProblem {
  if (error instanceof errors.HTTPParserError) return 'malformed';
  return head === undefined ? 'connection' : 'cut_off';
}
