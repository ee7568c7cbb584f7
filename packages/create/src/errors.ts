/** Why no folder was written, or what is missing in it: its message is for the reader of a terminal. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}
