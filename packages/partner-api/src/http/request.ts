import type * as z from 'zod';
import { InvalidRequestError, type PartnerApiError } from '../errors.js';
import type { Secret } from '../secret.js';
import type { Addresses } from './addresses.js';
import {
  type CallOptions,
  checkCallOptions,
  type KeyName,
  type Operation,
  type Validation,
} from './operation.js';
import { type DriftLog, readReply } from './reply.js';
import {
  type AttemptContext,
  describeHead,
  failureOfAbort,
  failureOfTransport,
  hideIn,
  hideSecrets,
} from './failure.js';
import { CallObserver, type Logger, type TracerLike } from './observe.js';
import {
  attemptSeconds,
  type Clock,
  mayRepeat,
  pauseSeconds,
  sleep,
  startTimeLimit,
  type TimeLimitOptions,
  TimeLimitReached,
} from './retry.js';
import type { Transport, TransportHead, TransportReply, TransportRequest } from './transport.js';

/** Status, headers and request id of an answer. */
export interface CallResponse {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Names in lower case. */
  readonly headers: TransportHead['headers'];
}

/** A running call: a promise of its answer. */
export interface Call<T> extends Promise<T> {
  /** The same answer with its status, request id and headers. */
  withResponse(): Promise<CallResponse & { readonly data: T }>;
}

/** Takes the head of the answer that a call ends with. */
export type NoteResponse = (response: CallResponse) => void;

/** Starts a call whose head can be asked for. */
export function startCall<T>(run: (note: NoteResponse) => Promise<T>): Call<T> {
  const seen: { response?: CallResponse } = {};
  const promise = run((response) => (seen.response = response));
  const withResponse: Call<T>['withResponse'] = async () => {
    const data = await promise;
    return { ...(seen.response as CallResponse), data };
  };
  return Object.assign(promise, { withResponse });
}

/** The options of a client, checked and complete. */
export interface ClientSettings {
  readonly addresses: Addresses;
  readonly keys: Readonly<Record<KeyName, Secret | undefined>>;
  readonly secrets: readonly Secret[];
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
  readonly retryRateLimited: boolean;
  readonly maxResponseBytes: number;
  readonly validation: Validation;
  readonly drift: DriftLog;
  readonly analyticsDays: 'difference' | 'inclusive';
  readonly requestIdHeader: string;
  readonly transport: Transport;
  readonly tracer: TracerLike | undefined;
  readonly logger: Logger;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
}

type Exchange = Omit<TransportRequest, 'signal'>;

/** A request of one call: its fields, or none at all, and what of them must not be seen. */
export interface CallRequest {
  readonly fields?: object | undefined;
  /** A value that is sent in the address. */
  readonly inPath?: string;
  readonly secrets?: readonly Secret[];
}

/** One call on its way: what all its attempts share. */
interface RunningCall {
  readonly exchange: Exchange;
  readonly options: CallOptions;
  readonly note: NoteResponse | undefined;
  readonly secrets: readonly Secret[];
  readonly sent: readonly unknown[];
  readonly observer: CallObserver;
  readonly seconds: number;
  readonly endsAt: number;
  readonly maxRetries: number;
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

  async call<Reply extends z.ZodType>(
    operation: Operation<Reply>,
    request: CallRequest,
    options: CallOptions = {},
    note?: NoteResponse,
  ): Promise<z.infer<Reply>> {
    const { clock, secrets } = this.#settings;
    checkCallOptions(operation.name, request.fields ?? {}, options);
    const exchange = this.#prepare(operation, request, options);
    const seconds =
      options.timeoutSeconds ??
      Math.max(this.#settings.timeoutSeconds, operation.minTimeoutSeconds ?? 0);
    const observer = new CallObserver(operation, exchange.url, this.#settings);
    const call: RunningCall = {
      exchange,
      options,
      note,
      observer,
      secrets: [...secrets, ...(request.secrets ?? [])],
      sent: [request.fields, request.inPath, options.extraFields, options.headers],
      seconds,
      endsAt: clock.monotonic() + seconds * 1000,
      maxRetries: options.maxRetries ?? this.#settings.maxRetries,
    };
    try {
      const reply = await this.#attemptUntil(operation, call);
      observer.end();
      return reply;
    } catch (error) {
      observer.end(error);
      throw error;
    }
  }

  async #attemptUntil<Reply extends z.ZodType>(
    operation: Operation<Reply>,
    call: RunningCall,
  ): Promise<z.infer<Reply>> {
    const { clock, random } = this.#settings;
    const { maxRetries } = call;
    const { signal } = call.options;
    let earlier: PartnerApiError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(operation, call, attempt);
      } catch (error) {
        const failure = error as PartnerApiError;
        if (earlier?.outcome === 'unknown') Object.assign(failure, { outcome: 'unknown' });
        earlier = failure;
        if (signal?.aborted === true || isCallOver(failure)) throw failure;
        const mayRepeatIt = mayRepeat(operation.effect, failure, {
          attempt,
          maxRetries,
          retriesRateLimit: call.options.retryRateLimited ?? this.#settings.retryRateLimited,
        });
        if (!mayRepeatIt) throw failure;
        const pause = pauseSeconds(attempt, random, failure.retryAfterSeconds) * 1000;
        if (clock.monotonic() + pause >= call.endsAt) throw failure;
        call.observer.pause(pause, failure);
        await this.#pause(pause, failure, signal);
      }
    }
  }

  async #attempt<Reply extends z.ZodType>(
    operation: Operation<Reply>,
    call: RunningCall,
    attempt: number,
  ): Promise<z.infer<Reply>> {
    const { observer, exchange, options } = call;
    observer.startAttempt(exchange.body?.byteLength ?? 0);
    const context: AttemptContext = {
      operation: operation.name,
      effect: operation.effect,
      attempt,
      url: exchange.url,
      requestIdHeader: this.#settings.requestIdHeader,
      nowMilliseconds: this.#settings.clock.now(),
      advice: operation.advice,
      hide: (text) => hideIn(text, call.secrets),
      sent: call.sent,
      refusals: operation.refusals,
    };
    try {
      const answer = await this.#send(call, context, this.#limitOf(operation, call, attempt));
      observer.noteAnswer(answer.status, answer.body.byteLength);
      const validation = options.validation ?? this.#settings.validation;
      const reply = readReply(operation, context, answer, {
        validation,
        drift: this.#settings.drift,
      });
      observer.endAttempt();
      const { status, requestId } = describeHead(context, answer);
      call.note?.({ status: status ?? 0, requestId, headers: answer.headers });
      return reply;
    } catch (error) {
      observer.endAttempt(error);
      throw error;
    }
  }

  /** The time left, or less where a timeout leads to another attempt. */
  #limitOf(
    { effect }: Operation,
    { options, seconds, endsAt, maxRetries }: RunningCall,
    attempt: number,
  ): TimeLimitOptions {
    const parent = options.signal;
    const millisecondsLeft = endsAt - this.#settings.clock.monotonic();
    const own = attemptSeconds(effect, millisecondsLeft / 1000, maxRetries + 1 - attempt);
    return own * 1000 < millisecondsLeft
      ? { limit: 'attempt', seconds: own, parent }
      : { limit: 'call', seconds, millisecondsLeft, parent };
  }

  async #send(
    { exchange, secrets }: RunningCall,
    context: AttemptContext,
    limit: TimeLimitOptions,
  ): Promise<TransportReply> {
    const { clock, transport } = this.#settings;
    const { signal, end } = startTimeLimit(clock, limit);
    try {
      return await transport.send({ ...exchange, signal });
    } catch (error) {
      throw failureOfTransport(context, error, signal, (cause) => hideSecrets(cause, secrets));
    } finally {
      end();
    }
  }

  async #pause(
    milliseconds: number,
    { operation, effect, attempt, outcome }: PartnerApiError,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      await sleep(this.#settings.clock, milliseconds, signal);
    } catch {
      throw failureOfAbort({ operation, effect, attempt, outcome }, signal?.reason);
    }
  }

  #prepare(
    operation: Operation,
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
      ...(hasBody
        ? { body: encode(operation.name, extraFields ? { ...fields, ...extraFields } : fields) }
        : {}),
      maxResponseBytes,
    };
  }
}

/** Whether the time of the whole call was over, and not only that of an attempt. */
function isCallOver({ cause }: PartnerApiError): boolean {
  return cause instanceof TimeLimitReached && cause.limit === 'call';
}

function encode(operation: string, body: object | undefined): Uint8Array<ArrayBuffer> {
  try {
    return new TextEncoder().encode(JSON.stringify(body));
  } catch {
    throw new InvalidRequestError('extraFields', 'cannot be written as JSON', operation);
  }
}
