import type { Channel } from 'node:diagnostics_channel';

import { PartnerApiError } from '../errors.js';
import type { Operation } from './operation.js';
import type { Clock } from './retry.js';

/** The part of an OpenTelemetry span that is used; spans of `@opentelemetry/api` fit. */
export interface SpanLike {
  setAttribute(key: string, value: string | number): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of an OpenTelemetry tracer that is used; `trace.getTracer('…')` fits. */
export interface TracerLike {
  startSpan(
    name: string,
    options: { kind: number; attributes: Record<string, string | number> },
  ): SpanLike;
}

/** What a client reports to; `console` fits. Neither keys, paths nor bodies are reported. */
export interface Logger {
  /** Each attempt. */
  debug?(message: string): void;
  /** A pause before another attempt. */
  info?(message: string): void;
  /** What should be changed. */
  warn?(message: string): void;
}

/** Published for a call on `pay-checkout.partner-api.call.start` and `.end`. */
export interface CallEvent {
  /** Counts calls of this process, to match starts and ends. */
  readonly call: number;
  readonly operation: string;
  readonly method: string;
  /** Host and port; paths and bodies may hold data and are never published. */
  readonly host: string;
  /** At the end: attempts that were made. */
  readonly attempts?: number;
  readonly durationMilliseconds?: number;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** At the end of a failure: name and outcome of the error. */
  readonly error?: string;
  readonly outcome?: string;
}

/** Published for an attempt on `pay-checkout.partner-api.attempt.start` and `.end`. */
export interface AttemptEvent extends CallEvent {
  readonly attempt: number;
  readonly requestBytes: number;
  readonly responseBytes?: number | undefined;
}

const PREFIX = 'pay-checkout.partner-api.';
const CHANNEL_NAMES = ['call.start', 'call.end', 'attempt.start', 'attempt.end'] as const;
type ChannelName = (typeof CHANNEL_NAMES)[number];

// `getBuiltinModule` instead of an import: this file is loaded where there is no Node, too.
const diagnostics =
  typeof process === 'undefined'
    ? undefined
    : process.getBuiltinModule?.('node:diagnostics_channel');
const channels = new Map<ChannelName, Channel>();
for (const name of CHANNEL_NAMES) {
  if (diagnostics !== undefined) channels.set(name, diagnostics.channel(PREFIX + name));
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of OpenTelemetry. */
const SPAN_KIND_CLIENT = 2;
const SPAN_STATUS_ERROR = 2;

let calls = 0;

/** Reports one call to the diagnostics channels and the tracer. */
export class CallObserver {
  readonly #clock: Clock;
  readonly #facts: CallEvent;
  readonly #startedAt: number;
  readonly #span: SpanLike | undefined;
  readonly #logger: Logger;
  #attempts = 0;
  #attemptStartedAt = 0;
  #requestBytes = 0;
  #last: { status?: number; responseBytes?: number } = {};

  constructor(
    operation: Operation,
    url: URL,
    { clock, tracer, logger }: { clock: Clock; tracer: TracerLike | undefined; logger: Logger },
  ) {
    const { name, method } = operation;
    this.#clock = clock;
    this.#logger = logger;
    this.#facts = { call: (calls += 1), operation: name, method, host: url.host };
    this.#startedAt = clock.monotonic();
    this.#span = tracer?.startSpan(name, {
      kind: SPAN_KIND_CLIENT,
      attributes: {
        'http.request.method': method,
        'server.address': url.hostname,
        'pay_checkout.operation': name,
      },
    });
    publish('call.start', () => this.#facts);
  }

  startAttempt(requestBytes: number): void {
    this.#attempts += 1;
    this.#attemptStartedAt = this.#clock.monotonic();
    this.#requestBytes = requestBytes;
    this.#last = {};
    publish('attempt.start', () => this.#attempt());
  }

  noteAnswer(status: number, responseBytes: number): void {
    this.#last = { status, responseBytes };
  }

  endAttempt(error?: unknown): void {
    const describeEnd = (): AttemptEvent => ({
      ...this.#attempt(),
      ...this.#last,
      durationMilliseconds: this.#clock.monotonic() - this.#attemptStartedAt,
      ...describe(error),
    });
    publish('attempt.end', describeEnd);
    this.#logger.debug?.(attemptLine(describeEnd()));
  }

  pause(milliseconds: number, { name, status, retryAfterSeconds }: PartnerApiError): void {
    const asked = retryAfterSeconds === undefined ? '' : ', as the provider asked';
    const seconds = Math.round(milliseconds / 100) / 10;
    this.#logger.info?.(
      `[${this.#facts.operation}] ${status ?? name}: the next attempt is in ${seconds} s${asked}`,
    );
  }

  end(error?: unknown): void {
    publish('call.end', () => ({
      ...this.#facts,
      ...(this.#last.status === undefined ? {} : { status: this.#last.status }),
      attempts: this.#attempts,
      durationMilliseconds: this.#clock.monotonic() - this.#startedAt,
      ...describe(error),
    }));
    this.#endSpan(error);
  }

  #endSpan(error: unknown): void {
    const span = this.#span;
    if (span === undefined) return;
    span.setAttribute('pay_checkout.attempts', this.#attempts);
    if (this.#last.status !== undefined) {
      span.setAttribute('http.response.status_code', this.#last.status);
    }
    if (error instanceof PartnerApiError) {
      span.setAttribute('error.type', error.name);
      span.setAttribute('pay_checkout.outcome', error.outcome);
      span.setStatus({ code: SPAN_STATUS_ERROR, message: error.message });
    }
    span.end();
  }

  #attempt(): AttemptEvent {
    return { ...this.#facts, attempt: this.#attempts, requestBytes: this.#requestBytes };
  }
}

function describe(error: unknown): Partial<CallEvent> {
  if (!(error instanceof PartnerApiError)) return {};
  const { name, outcome, status, requestId } = error;
  return { error: name, outcome, ...(status === undefined ? {} : { status }), requestId };
}

/** An attempt in one line. */
export function attemptLine(event: AttemptEvent): string {
  const { operation, method, host, attempt, status, error, responseBytes } = event;
  const result = status === undefined ? (error ?? 'no answer') : `${status}`;
  const size = responseBytes === undefined ? '' : ` ${responseBytes} bytes`;
  const time = `${Math.round(event.durationMilliseconds ?? 0)} ms`;
  return `[${operation}] ${method} ${host} attempt ${attempt}: ${result}${size} in ${time}`;
}

function publish(name: ChannelName, event: () => CallEvent): void {
  const channel = channels.get(name);
  if (channel?.hasSubscribers === true) channel.publish(event());
}
