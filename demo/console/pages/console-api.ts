/** Talks to the console's own back end. It never sees the API key. */
import type { CallOutcome, ConsoleProblem } from '../console-view.js';

/** An answer that is an error, or no answer at all. */
export class ConsoleApiError extends Error {
  override readonly name = 'ConsoleApiError';

  constructor(readonly problem: ConsoleProblem) {
    super(problem.title);
  }
}

/** Reads something; changes nothing. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, 'not_sent', signal === undefined ? {} : { signal })) as T;
}

/** Asks for a change. Without an answer its outcome is unknown. */
export async function send<T>(path: string, body: unknown): Promise<T> {
  return (await ask(path, 'unknown', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })) as T;
}

/** What to show for anything that was thrown. */
export function toProblem(error: unknown): ConsoleProblem {
  if (error instanceof ConsoleApiError) return error.problem;
  throw error;
}

async function ask(path: string, ifLost: CallOutcome, init: RequestInit): Promise<unknown> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, init);
    body = await response.json();
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ConsoleApiError(lostAnswer(ifLost));
  }
  if (!response.ok) throw new ConsoleApiError(body as ConsoleProblem);
  return body;
}

function lostAnswer(outcome: CallOutcome): ConsoleProblem {
  const isUnknown = outcome === 'unknown';
  return {
    status: 0,
    code: isUnknown ? 'outcome_unknown' : 'console_unreachable',
    title: isUnknown ? 'Unknown: it may have happened.' : 'The console does not respond.',
    detail: navigator.onLine ? 'The console’s server gave no answer.' : 'This browser is offline.',
    next: isUnknown
      ? 'Check at the provider, or in the console’s log, before you send it again.'
      : 'Check the connection and that the console is running. Then try again.',
    outcome,
  };
}
