import { type FieldError, PayCheckoutError } from './errors.js';

export interface RequestOptions {
  /** Ends the request; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Each operation may be sent again: it reads, or sets the same thing a second time. */
const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;
/** A longer one ends at once: timers count in 31 bits. */
const MAX_PAUSE_MS = 2 ** 31 - 1;
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The session server's merchant routes over HTTP, with the merchant's key. */
export class ApiClient {
  readonly #server: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;

  constructor(server: string, apiKey: string, timeoutSeconds: number) {
    this.#server = server;
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutSeconds * 1000;
  }

  /**
   * The JSON of the answer; undefined when it has none. Repeated after a transient failure, while the time
   * of the call lasts.
   */
  async request(
    method: 'GET' | 'PUT' | 'DELETE',
    path: string,
    { query = {}, body, signal }: RequestOptions & { query?: Query; body?: object } = {},
  ): Promise<unknown> {
    const url = new URL(path, this.#server);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const stop = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    const init = {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${this.#apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Not `error`, which edge runtimes do not have: the key must not follow a redirect.
      redirect: 'manual' as const,
      signal: stop,
    };
    for (let attempt = 1; ; attempt += 1) {
      const what = `${method} ${url.origin}${url.pathname}`;
      const answer = await send(url, init).catch((cause: unknown) => {
        signal?.throwIfAborted();
        const seconds = `${this.#timeoutMs / 1000} s`;
        return stop.aborted
          ? new PayCheckoutError('timeout', `${what}: no answer in ${seconds} (timeoutSeconds)`)
          : new PayCheckoutError('no_answer', `${what}: no answer (${reasonOf(cause)})`, { cause });
      });
      if (!(answer instanceof Error) && answer.status >= 200 && answer.status < 300) {
        return readJson(answer);
      }
      const error = answer instanceof Error ? answer : readProblem(answer, what);
      const isTransient =
        error.code === 'no_answer' || TRANSIENT_STATUSES.has(error.httpStatus ?? 0);
      if (!isTransient || attempt === MAX_ATTEMPTS) throw error;
      const isOver = await pause(pauseMs(attempt, answer), stop);
      signal?.throwIfAborted();
      if (isOver) throw error;
    }
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

async function send(url: URL, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, text: await response.text() };
}

function readJson({ status, text }: Answer): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const message = `The session server answered ${status} without JSON. Check the address in server.`;
    throw new PayCheckoutError('unexpected_answer', message, { httpStatus: status });
  }
}

/** RFC 9457 problem JSON, or whatever a proxy before the session server has sent. */
function readProblem({ status, text }: Answer, what: string): PayCheckoutError {
  let problem: Record<string, unknown> = {};
  try {
    problem = Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    // Said below: it is no problem JSON.
  }
  const { code, detail, state, requestId, errors } = problem;
  if (typeof code !== 'string') {
    const message = `${what}: the answer was ${status}, and not the session server's. Check the address in server.`;
    return new PayCheckoutError('unexpected_answer', message, { httpStatus: status });
  }
  const fields = Array.isArray(errors) ? (errors as readonly FieldError[]) : [];
  const message = textOf(detail) ?? `${what}: the session server answered ${status}.`;
  return new PayCheckoutError(code, message, {
    field: code === 'merchant_key_refused' ? 'apiKey' : fields[0]?.field,
    httpStatus: status,
    errors: fields.length > 0 ? fields : undefined,
    state: textOf(state),
    requestId: textOf(requestId),
  });
}

/** Why there was no answer: the system's name for it, which is what one searches for. */
export function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown };
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  return textOf(code) ?? textOf(message) ?? 'no reason given';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function pauseMs(attempt: number, answer: Answer | Error): number {
  const asked = answer instanceof Error ? NaN : Number(answer.retryAfter ?? NaN);
  if (asked >= 0) return Math.min(asked * 1000, MAX_PAUSE_MS);
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
}

/** Resolves with whether `stop` came first. */
export function pause(milliseconds: number, stop: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve(stop.aborted);
    };
    const timer = setTimeout(end, milliseconds);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  });
}
