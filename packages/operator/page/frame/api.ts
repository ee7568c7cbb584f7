/** Talks to the server that the page came from. */

/** An answer that is an error, or no answer at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0: no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** What was read, and how to ask whether it has changed since. */
export interface Read<T> {
  readonly answer: T;
  readonly etag: string | null;
}

/** What a page reads: a path, or a path that is asked with a body, of which no log has anything. */
export type Question = string | { readonly path: string; readonly body: unknown };

/** Undefined when it is still what `etag` names. */
export async function read<T>(
  question: Question,
  { signal, etag }: { readonly signal?: AbortSignal; readonly etag?: string | null } = {},
): Promise<Read<T> | undefined> {
  const isPath = typeof question === 'string';
  const response = await ask(isPath ? question : question.path, {
    ...(isPath ? {} : withBody(question.body)),
    // Without this, browsers would ask for all of it again.
    ...(etag && { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } }),
    ...(signal && { signal }),
  });
  if (response.status === 304) return undefined;
  return { answer: (await response.json()) as T, etag: response.headers.get('etag') };
}

/** Asks for a change; each may be asked for again without harm. */
export async function send<T>(path: string, body: unknown): Promise<T> {
  const response = await ask(path, withBody(body));
  return (await response.json()) as T;
}

function withBody(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Saves an answer as a file: a plain link cannot say that it comes from this page. */
export async function download(path: string, name: string): Promise<void> {
  const response = await ask(path, {});
  const file = await response.blob().catch(() => {
    throw new ApiError(0, 'cut_off', 'The file was cut off. Try again.');
  });
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

export async function signOut(): Promise<void> {
  await ask('session', { method: 'DELETE' });
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-pay-page', '1');
  let response: Response;
  try {
    response = await fetch(`/page/${path}`, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    const message = navigator.onLine ? 'The server does not answer.' : 'This browser is offline.';
    throw new ApiError(0, 'no_answer', message);
  }
  if (response.ok || response.status === 304) return response;
  const problem = (await response.json().catch(() => ({}))) as {
    readonly code?: string;
    readonly detail?: string;
    readonly requestId?: string;
  };
  const { code = 'unknown', detail = `The server answered ${String(response.status)}.` } = problem;
  throw new ApiError(response.status, code, detail, problem.requestId);
}
