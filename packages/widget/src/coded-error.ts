/** Technical trouble as a code that labels turn into words; the codes are in `docs/error-codes.md`. */
export class CodedError extends Error {
  readonly code: string;
  /** Status of the server's answer; 0 when there was none. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Names of the fields that the server refused. */
  readonly fields: readonly string[] | undefined;

  constructor(
    code: string,
    cause?: unknown,
    status = 0,
    requestId?: string,
    fields?: readonly string[],
  ) {
    super(code, { cause });
    this.name = 'CodedError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
  }
}

/** Whatever was thrown, as an error with a code of ours: `code` when it has none. */
export function coded(error: unknown, code: string): CodedError {
  return error instanceof CodedError ? error : new CodedError(code, error);
}
