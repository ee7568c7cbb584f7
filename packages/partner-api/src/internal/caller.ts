import { InvalidRequestError, type PartnerApiError } from '../errors.js';
import { checkCallOptions } from './check-options.js';
import type { ClientSettings } from './client-settings.js';
import { sleep, TimeLimitReached, withTimeLimit } from './deadline.js';
import { failureOfAbort, failureOfTransport, type AttemptContext } from './failure.js';
import { hideSecrets } from './hide-secrets.js';
import type { CallOptions, JsonObject, Operation } from './operation.js';
import { readReply } from './read-reply.js';
import { mayRepeat, pauseSeconds } from './retry.js';
import type { TransportReply, TransportRequest } from './transport.js';
import { joinUrl } from './url.js';

type Exchange = Omit<TransportRequest, 'signal'>;

/** Runs operations: the time limit of a call around its attempts and the pauses between them. */
export class Caller {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async call<Reply>(
    operation: Operation<Reply>,
    fields: JsonObject,
    options: CallOptions = {},
  ): Promise<Reply> {
    checkCallOptions(operation.name, fields, options);
    const seconds = options.timeoutSeconds ?? this.#settings.timeoutSeconds;
    const limit = { limit: 'call', seconds, parent: options.signal } as const;
    const exchange = this.#prepare(operation, { ...fields, ...options.extraFields });
    const { clock } = this.#settings;
    const endsAt = clock.monotonic() + seconds * 1000;
    const maxRetries = options.maxRetries ?? this.#settings.maxRetries;
    return withTimeLimit(clock, limit, (signal) =>
      this.#attemptUntil(operation, exchange, { signal, endsAt, maxRetries }),
    );
  }

  async #attemptUntil<Reply>(
    operation: Operation<Reply>,
    exchange: Exchange,
    call: { signal: AbortSignal; endsAt: number; maxRetries: number },
  ): Promise<Reply> {
    const { clock, random } = this.#settings;
    let earlier: PartnerApiError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(operation, exchange, attempt, call.signal);
      } catch (error) {
        const failure = error as PartnerApiError;
        if (earlier?.outcome === 'unknown') Object.assign(failure, { outcome: 'unknown' });
        earlier = failure;
        if (call.signal.aborted) throw failure;
        if (!mayRepeat(operation.effect, failure, attempt, call.maxRetries)) throw failure;
        const pause = pauseSeconds(attempt, random, failure.retryAfterSeconds) * 1000;
        if (clock.monotonic() + pause >= call.endsAt) throw failure;
        await this.#pause(pause, call.signal, failure);
      }
    }
  }

  async #attempt<Reply>(
    operation: Operation<Reply>,
    exchange: Exchange,
    attempt: number,
    parent: AbortSignal,
  ): Promise<Reply> {
    const { clock, transport, apiKey, attemptTimeoutSeconds: seconds } = this.#settings;
    const context: AttemptContext = {
      operation: operation.name,
      attempt,
      url: exchange.url,
      requestIdHeader: this.#settings.requestIdHeader,
      nowMilliseconds: clock.now(),
    };
    const send = async (signal: AbortSignal): Promise<TransportReply> => {
      try {
        return await transport.send({ ...exchange, signal });
      } catch (error) {
        throw failureOfTransport(context, error, signal, (cause) => hideSecrets(cause, apiKey));
      }
    };
    const answer = await withTimeLimit(clock, { limit: 'attempt', seconds, parent }, send);
    return readReply(operation, context, answer);
  }

  async #pause(milliseconds: number, signal: AbortSignal, after: PartnerApiError): Promise<void> {
    try {
      await sleep(this.#settings.clock, milliseconds, signal);
    } catch {
      if (signal.reason instanceof TimeLimitReached) throw after;
      const { operation, attempt, outcome } = after;
      throw failureOfAbort({ operation, attempt, outcome }, signal.reason);
    }
  }

  #prepare(operation: Operation<unknown>, body: JsonObject): Exchange {
    const { baseUrl, apiKey, userAgent, maxResponseBytes } = this.#settings;
    return {
      method: operation.method,
      url: joinUrl(baseUrl, operation.path),
      headers: {
        api_key: apiKey.reveal(),
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'User-Agent': userAgent,
      },
      body: encode(operation.name, body),
      maxResponseBytes,
    };
  }
}

function encode(operation: string, body: JsonObject): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(body));
  } catch {
    throw new InvalidRequestError('extraFields', 'cannot be written as JSON', operation);
  }
}
