import { isPartnerApiError } from '@pay-checkout/partner-api';
import { trace } from '@opentelemetry/api';
import { pino, stdTimeFunctions } from 'pino';
import { AppError } from './errors.js';
import { describeSqlState, sqlStateOf } from './store/sql-states.js';

/** Every field of a line but for settings; `docs/observability.md` says what each is. */
export const LOG_FIELDS = [
  ...['server', 'traceId', 'requestId', 'ms'],
  ...['merchant', 'order', 'checkout', 'state', 'from', 'refund', 'attention', 'kind', 'isNew'],
  ...['account', 'providerMerchantId', 'orderId', 'transaction', 'reference'],
  ...['outcome', 'providerRequestId', 'providerStatus'],
  ...['event', 'type', 'tries', 'retryInSeconds', 'webhook', 'result', 'flags'],
  ...['method', 'route', 'status', 'code', 'detail'],
  ...['error', 'cause', 'causeDetail', 'reason', 'host', 'at'],
  ...['job', 'failures', 'attempts', 'since', 'page', 'problem', 'places'],
  ...['count', 'merchants', 'orders', 'history', 'days'],
  ...['mistake', 'mistakes', 'setting', 'mode', 'variables', 'file'],
  ...['version', 'node', 'port', 'operatorPort', 'operatorHost'],
  ...['dashboardPort', 'dashboardHost', 'signal', 'drained'],
  ...['maxOrderId', 'aheadMs'],
] as const;

type LogValue = string | number | boolean | undefined | readonly string[];

/** What may be logged about a thing: plain ids, counts and codes. Never a body, a name or a key. */
export type LogFields = {
  readonly [field in (typeof LOG_FIELDS)[number] | 'DATABASE_URL' | `PAY_${string}`]?: LogValue;
};

/** The log of the server: JSON lines. Only allow-listed fields go in, so nothing needs redacting. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** @param server that each line names. Default: none */
export function createLogger(level: string, server?: string): Logger {
  const base = server === undefined ? null : { server };
  return pino({ level, base, timestamp: stdTimeFunctions.isoTime, mixin: nameTrace });
}

/** Where traces are recorded, a line names that of the request or job that it is about. */
function nameTrace(): LogFields {
  const { traceId } = trace.getActiveSpan()?.spanContext() ?? {};
  return traceId === undefined ? {} : { traceId };
}

/** Errors of JavaScript itself: internal errors, unless the system gave a reason. */
const UNNAMED = ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'];

/**
 * What a log may say of an error: its kind and its reason, never its data. Its message only where it
 * is a text of our own; where it came from only when that is not known from its kind.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  if (error instanceof AppError) {
    const { cause, code, message } = error;
    return cause === undefined ? { error: code, detail: message } : describeError(cause);
  }
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = { ...(cause && reasonOf(cause)), ...reasonOf(error) };
  if (isPartnerApiError(error)) {
    const { name, message, status, requestId } = error;
    return { error: name, detail: message, status, providerRequestId: requestId, ...reason };
  }
  const isExplained = 'code' in error && !('errstr' in error) && 'reason' in reason;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    // PostgreSQL's have a name that says nothing.
    error: sqlStateOf(error) === undefined ? error.name : 'DatabaseError',
    ...(cause === undefined ? {} : { cause: cause.name }),
    ...reason,
    ...(UNNAMED.includes(error.name) && !isExplained
      ? { at: frames.slice(0, 6).map((frame) => frame.trim()) }
      : {}),
  };
}

/**
 * What SQLite, PostgreSQL or the system calls it: a fixed text for each code, such as "disk is full",
 * "53100 disk_full" or ENOSPC; and the host that was not found, which is one of the settings.
 */
function reasonOf(error: Error): LogFields {
  if ('errstr' in error && typeof error.errstr === 'string') return { reason: error.errstr };
  const state = sqlStateOf(error);
  if (state !== undefined) return { reason: describeSqlState(state) };
  const code = 'code' in error ? String(error.code) : '';
  if (!/^[A-Z][A-Z0-9_]+$/.test(code)) return {};
  const host = 'hostname' in error ? String(error.hostname) : undefined;
  return { reason: code, ...(host === undefined ? {} : { host }) };
}
