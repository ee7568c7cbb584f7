/** Asks another server of the demo. */
import { ShopError } from '../shop/problem.js';

/** Longer than the slowest scenario, with the visit of the shopper's browser after it. */
const TIMEOUT_MS = 20_000;

export interface Question {
  readonly method?: string;
  /** Sent as JSON, with POST. */
  readonly body?: unknown;
  readonly key?: string;
}

/** Its JSON. Throws a {@link ShopError} with what it says when it refuses, and 502 when it fails. */
export async function askServer<Answer>(
  name: string,
  url: string,
  { body: sent, key, method = sent === undefined ? 'GET' : 'POST' }: Question,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    const answer: unknown = body === '' ? undefined : JSON.parse(body);
    if (response.ok) return answer as Answer;
    // The sandbox writes `message`, the session server problem JSON.
    const { message, detail } = (answer ?? {}) as { message?: string; detail?: string };
    const text = `The ${name}: ${message ?? detail ?? 'no reason given'}`;
    throw new ShopError(response.status < 500 ? 409 : 502, 'refused', text);
  } catch (cause) {
    if (cause instanceof ShopError) throw cause;
    throw new ShopError(502, 'unreachable', `The ${name} does not answer.`, [], cause);
  }
}
