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

/**
 * Asks for a change. Without an answer its outcome is unknown.
 * @param signal - Gives up the answer: what was sent is not taken back.
 */
export async function send<T>(path: string, body: unknown, signal: AbortSignal): Promise<T> {
  return (await ask(path, 'unknown', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
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
    const isStopped = init.signal?.aborted === true;
    if (isStopped && ifLost !== 'unknown') throw error;
    throw new ConsoleApiError(lostAnswer(ifLost, isStopped));
  }
  if (!response.ok) throw new ConsoleApiError(body as ConsoleProblem);
  return body;
}

function lostAnswer(outcome: CallOutcome, isStopped: boolean): ConsoleProblem {
  const isUnknown = outcome === 'unknown';
  return {
    status: 0,
    code: isUnknown ? 'outcome_unknown' : 'console_unreachable',
    title: isUnknown ? 'Unknown: it may have happened.' : 'The console does not respond.',
    detail: isStopped ? 'You stopped waiting for the answer.' : sayCause(),
    next: isUnknown
      ? 'Check at the provider, or in the console’s log, before you send it again.'
      : 'Check the connection and that the console is running. Then try again.',
    outcome,
  };
}

function sayCause(): string {
  return navigator.onLine ? 'The console’s server gave no answer.' : 'This browser is offline.';
}
