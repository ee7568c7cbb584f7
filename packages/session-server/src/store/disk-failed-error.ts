/**
 * The disk could not keep what was written to it. Nobody can say what is on it after that, so
 * nothing is written or read until a new start, which reads it anew.
 */
export class DiskFailedError extends Error {
  override readonly name = 'DiskFailedError';
  /** What the system calls the failure, such as EIO. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('the disk did not keep what was written: start the server anew', { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  }
}
