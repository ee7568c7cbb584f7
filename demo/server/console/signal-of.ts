/** Ends what an answer waits for when nobody waits for the answer any more. For reads only. */
import type { Response } from 'express';

export function signalOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
