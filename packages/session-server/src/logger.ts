import { pino } from 'pino';

/** What may be logged about a thing: plain ids, counts and codes. Never a body, a name or a key. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | undefined | readonly string[]>
>;

/** The log of the server: JSON lines. Only allow-listed fields go in, so nothing needs redacting. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export function createLogger(level: string): Logger {
  return pino({ level, base: null });
}

/** What a log may say of an error: its kind and where it came from, never its message or data. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const cause = error.cause instanceof Error ? error.cause.name : undefined;
  return {
    error: error.name,
    ...(cause === undefined ? {} : { cause }),
    ...reasonOf(error),
    at: frames.slice(0, 6).map((frame) => frame.trim()),
  };
}

/** What SQLite or the system calls it: a fixed text for each code, such as "disk is full" or ENOSPC. */
function reasonOf(error: Error): LogFields {
  if ('errstr' in error && typeof error.errstr === 'string') return { reason: error.errstr };
  const code = 'code' in error ? String(error.code) : '';
  return /^E[A-Z0-9]+$/.test(code) ? { reason: code } : {};
}
