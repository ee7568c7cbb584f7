import type { Response } from 'express';

/** Fires when the client leaves before it was answered. */
export function abortedByClose(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
