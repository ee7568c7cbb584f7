import type { Secret } from '../secret.js';

const DEPTH = 4;

/**
 * A copy of a foreign error that is safe to keep as `cause`: name, message and code, with the
 * secrets taken out. Transports of others hang whole requests, headers included, on their errors.
 */
export function hideSecrets(
  error: unknown,
  secrets: readonly Secret[],
  depth = DEPTH,
): Error | undefined {
  if (error === undefined || error === null || depth === 0) return undefined;
  const { name, message, code, cause } = error as Partial<NodeJS.ErrnoException>;
  const safeCause = hideSecrets(cause, secrets, depth - 1);
  const safe = new Error(
    hideIn(typeof message === 'string' ? message : 'not an error', secrets),
    safeCause === undefined ? undefined : { cause: safeCause },
  );
  // The stack of the copy would tell where it was copied, and the original's may quote the message.
  delete safe.stack;
  if (typeof name === 'string') safe.name = hideIn(name, secrets);
  if (typeof code === 'string') Object.assign(safe, { code });
  return safe;
}

/** A text with the secrets taken out. */
export function hideIn(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret.reveal(), '[secret]'), text);
}
