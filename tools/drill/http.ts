import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';

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

/** One request on a connection of its own: when it breaks, the other side is gone. */
export function send(url: string, call: Call = {}): Promise<Reply> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: call.method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
      },
      (answer) => {
        readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Rejects, saying what did not come, when the promise takes longer than this. */
export async function within<T>(seconds: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`${what} did not come within ${String(seconds)} s`));
  }, seconds * 1000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
