import { InvalidRequestError, type PartnerApiError } from '../errors.js';
import type { Secret } from '../secret.js';
import { checkCallOptions } from './check-options.js';
import type { ClientSettings } from './client-settings.js';
import { sleep, TimeLimitReached, withTimeLimit } from './deadline.js';
import { failureOfAbort, failureOfTransport, type AttemptContext } from './failure.js';
import { hideSecrets } from './hide-secrets.js';
import { CallObserver } from './observe.js';
import type { CallOptions, JsonObject, Operation } from './operation.js';
import { readReply } from './read-reply.js';
import { mayRepeat, pauseSeconds } from './retry.js';
import type { TransportReply, TransportRequest } from './transport.js';

type Exchange = Omit<TransportRequest, 'signal'>;

/** A request of one call: its fields, or none at all, and what of them must not be seen. */
export interface CallRequest {
  readonly fields?: JsonObject | undefined;
  readonly secrets?: readonly Secret[];
}

/** One call on its way: what all its attempts share. */
interface RunningCall {
  readonly exchange: Exchange;
  readonly options: CallOptions;
  readonly secrets: readonly Secret[];
  readonly observer: CallObserver;
  readonly endsAt: number;
}

/** Runs operations: the time limit of a call around its attempts and the pauses between them. */
export class Caller {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  get settings(): ClientSettings {
    return this.#settings;
  }

  async call<Reply>(
    operation: Operation<Reply>,
    request: CallRequest,
    options: CallOptions = {},
  ): Promise<Reply> {
    const { clock, tracer, secrets } = this.#settings;
    checkCallOptions(operation.name, request.fields ?? {}, options);
    const exchange = this.#prepare(operation, request, options);
    const seconds =
      options.timeoutSeconds ??
      Math.max(this.#settings.timeoutSeconds, operation.patienceSeconds ?? 0);
    const observer = new CallObserver(operation, exchange.url, clock, tracer);
    const call: RunningCall = {
      exchange,
      options,
      observer,
      secrets: [...secrets, ...(request.secrets ?? [])],
      endsAt: clock.monotonic() + seconds * 1000,
    };
    const limit = { limit: 'call', seconds, parent: options.signal } as const;
    try {
      const reply = await withTimeLimit(clock, limit, (signal) =>
        this.#attemptUntil(operation, call, signal),
      );
      observer.end();
      return reply;
    } catch (error) {
      observer.end(error);
      throw error;
    }
  }

  async #attemptUntil<Reply>(
    operation: Operation<Reply>,
    call: RunningCall,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { clock, random } = this.#settings;
    const maxRetries = call.options.maxRetries ?? this.#settings.maxRetries;
    let earlier: PartnerApiError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(operation, call, attempt, signal);
      } catch (error) {
        const failure = error as PartnerApiError;
        if (earlier?.outcome === 'unknown') Object.assign(failure, { outcome: 'unknown' });
        earlier = failure;
        if (signal.aborted) throw failure;
        if (!mayRepeat(operation.effect, failure, attempt, maxRetries)) throw failure;
        const pause = pauseSeconds(attempt, random, failure.retryAfterSeconds) * 1000;
        if (clock.monotonic() + pause >= call.endsAt) throw failure;
        await this.#pause(pause, signal, failure);
      }
    }
  }

  async #attempt<Reply>(
    operation: Operation<Reply>,
    call: RunningCall,
    attempt: number,
    parent: AbortSignal,
  ): Promise<Reply> {
    const { observer, exchange, options } = call;
    observer.startAttempt(exchange.body?.byteLength ?? 0);
    const context: AttemptContext = {
      operation: operation.name,
      attempt,
      url: exchange.url,
      requestIdHeader: this.#settings.requestIdHeader,
      nowMilliseconds: this.#settings.clock.now(),
      advice: operation.advice,
      refusals: operation.refusals,
    };
    try {
      const answer = await this.#send(operation, call, context, parent);
      observer.noteAnswer(answer.status, answer.body.byteLength);
      const validation = options.validation ?? this.#settings.validation;
      const reply = readReply(operation, context, answer, {
        validation,
        drift: this.#settings.drift,
      });
      observer.endAttempt();
      return reply;
    } catch (error) {
      observer.endAttempt(error);
      throw error;
    }
  }

  #send(
    operation: Operation<unknown>,
    { exchange, options, secrets }: RunningCall,
    context: AttemptContext,
    parent: AbortSignal,
  ): Promise<TransportReply> {
    const { clock, transport, attemptTimeoutSeconds } = this.#settings;
    const seconds =
      options.attemptTimeoutSeconds ??
      Math.max(attemptTimeoutSeconds, operation.patienceSeconds ?? 0);
    return withTimeLimit(clock, { limit: 'attempt', seconds, parent }, async (signal) => {
      try {
        return await transport.send({ ...exchange, signal });
      } catch (error) {
        throw failureOfTransport(context, error, signal, (cause) => hideSecrets(cause, secrets));
      }
    });
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

  #prepare(
    operation: Operation<unknown>,
    { fields }: CallRequest,
    { headers, extraFields }: CallOptions,
  ): Exchange {
    const { addresses, keys, userAgent, maxResponseBytes } = this.#settings;
    const key = keys[operation.key];
    const hasBody = fields !== undefined || extraFields !== undefined;
    return {
      method: operation.method,
      url: addresses.urlOf(operation),
      headers: {
        ...headers,
        ...(key === undefined ? {} : { api_key: key.reveal() }),
        ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        Accept: 'application/json',
        'User-Agent': userAgent,
      },
      ...(hasBody ? { body: encode(operation.name, { ...fields, ...extraFields }) } : {}),
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
