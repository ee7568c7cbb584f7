/** A technical error with a code, for which labels have a text. The codes are in `docs/error-codes.md`. */
export class CodedError extends Error {
  readonly code: string;
  /** Status of the server's reply; 0 when there was none. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Names of the fields that the server rejected. */
  readonly fields: readonly string[] | undefined;
  /** The server's sentence about it. */
  readonly detail: string | undefined;
  /** Whether the server answered that nothing was paid for the order. */
  readonly unpaid: boolean | undefined;

  constructor(
    code: string,
    cause?: unknown,
    status = 0,
    requestId?: string,
    fields?: readonly string[],
    detail?: string,
    unpaid?: boolean,
  ) {
    super(code, { cause });
    this.name = 'CodedError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
    this.detail = detail;
    this.unpaid = unpaid;
  }
}

/** What was thrown, as a coded error: with `code` and `status` if it has none. */
export function coded(error: unknown, code: string, status?: number): CodedError {
  return error instanceof CodedError ? error : new CodedError(code, error, status);
}
