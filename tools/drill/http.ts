import { Agent, request } from 'undici';

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Each request has a connection of its own: when it breaks, the other side is gone. */
const dispatcher = new Agent({ pipelining: 0 });

export async function send(url: string, { method, headers, body }: Call = {}): Promise<Reply> {
  const hasBody = body !== undefined;
  const { statusCode, body: answer } = await request(url, {
    dispatcher,
    method: method ?? (hasBody ? 'POST' : 'GET'),
    headers: { ...(hasBody && { 'content-type': 'application/json' }), ...headers },
    ...(hasBody && { body: JSON.stringify(body) }),
  });
  return { status: statusCode, text: await answer.text() };
}

/**
 * Rejects, saying what did not come, when the promise takes longer than this.
 *
 * @param timers where the timer is as long as it runs, to be refreshed by others
 */
export async function within<T>(
  seconds: number,
  what: string,
  promise: Promise<T>,
  timers = new Set<NodeJS.Timeout>(),
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`${what} did not come within ${String(seconds)} s`));
  }, seconds * 1000);
  timers.add(timer);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    timers.delete(timer);
  }
}
