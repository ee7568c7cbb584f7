import { Webhook } from 'standardwebhooks';
import { reasonOf } from '../api-client.js';

/** As long as the session server waits for an answer. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_DETAIL_CHARS = 500;

export interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly signingSecret: string;
  readonly forwardTo: string;
  readonly stop: AbortSignal;
}

export interface DeliveryResult {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly why: string | undefined;
  readonly milliseconds: number;
}

/** Posts an event once, signed as the session server signs it. */
export async function deliver(delivery: Delivery): Promise<DeliveryResult> {
  const { id, body, signingSecret, forwardTo, stop } = delivery;
  const sentAt = new Date();
  const answer = await fetch(forwardTo, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(signingSecret).sign(id, sentAt, body),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
  }).then(
    async (response) => {
      const text = response.ok ? '' : await response.text().catch(() => '');
      await response.body?.cancel().catch(() => undefined);
      return { status: response.status, why: detailOf(text) };
    },
    (error: unknown) => ({ status: undefined, why: reasonOf(error) }),
  );
  return { ...answer, milliseconds: Date.now() - sentAt.getTime() };
}

/** What a problem (RFC 9457) says, as `events.handler` answers it. */
function detailOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail.slice(0, MAX_DETAIL_CHARS) : undefined;
  } catch {
    return undefined;
  }
}
