/**
 * Spans of what the server does, for the OpenTelemetry SDK of the process; without one they cost next
 * to nothing. Attributes are what the log has: ids, codes and counts, no body, name, address or key.
 */
import {
  type Attributes,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { AppError } from '../errors.js';
import { VERSION } from '../version.js';

interface TracedCheckout {
  readonly merchant: string;
  readonly order: string;
  readonly id: string;
}

interface SpanAbout {
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Whether it starts a trace of its own: work that outlives the request that caused it. */
  readonly root?: boolean;
}

export function getTracer(): Tracer {
  return trace.getTracer('@pay-checkout/session-server', VERSION);
}

/** Runs `work` in a span, which fails with it. */
export function inSpan<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {}, root = false }: SpanAbout,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return getTracer().startActiveSpan(name, { kind, attributes, root }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      // The kind only: a message may hold data.
      fail(span, error instanceof AppError ? error.code : (error as Error).name);
      throw error;
    } finally {
      span.end();
    }
  });
}

export function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds the checkout to the span of the current request. */
export function traceCheckout({ merchant, order, id }: TracedCheckout): void {
  trace.getActiveSpan()?.setAttributes({
    'pay_checkout.merchant': merchant,
    'pay_checkout.order': order,
    'pay_checkout.checkout': id,
  });
}
