/** Talks to the control routes of the sandbox that the page came from. */

/** An answer that is an error, or no answer at all. */
export class ControlError extends Error {
  override readonly name = 'ControlError';

  constructor(
    /** 0: no answer came. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** What to ask for. Without a body it is a read. */
export interface Call {
  /** Below `/_sandbox`, or from the root. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export async function call<T>({ path, body, method, signal }: Call): Promise<T> {
  let response: Response;
  try {
    response = await fetch(new URL(path, `${location.origin}/_sandbox/`), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ControlError(0, 'The sandbox does not answer. Is it still running?');
  }
  if (response.status === 204) return undefined as T;
  const answer = (await response.json().catch(() => undefined)) as unknown;
  if (!response.ok) throw new ControlError(response.status, describeRefusal(response, answer));
  return answer as T;
}

function describeRefusal({ status }: Response, answer: unknown): string {
  const { message, errors = [] } = (answer ?? {}) as {
    readonly message?: string;
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
  };
  const fields = errors.map((error) => `${error.field}: ${error.message}.`);
  return [message ?? `The sandbox answered ${String(status)}.`, ...fields].join(' ');
}

/** What is read of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly writeOnly?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly requestBody?: { readonly content: { 'application/json': { readonly schema: Schema } } };
}

/** `/openapi.json`. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
