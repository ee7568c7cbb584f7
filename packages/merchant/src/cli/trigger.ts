import { randomUUID } from 'node:crypto';
import type { EventData } from '../types.js';
import { deliver } from './deliver.js';
import type { Report, Terminal } from './report.js';

type Sample = Pick<EventData, 'state' | 'certain'> & Partial<EventData>;

const PAID: Sample = {
  state: 'paid',
  certain: true,
  transaction: 'sample-transaction',
  payment: { method: 'New Card', lastDigits: '4242' },
};

/** What differs from type to type; see `docs/events.md`. */
const SAMPLES = {
  'checkout.paid': PAID,
  'checkout.failed': { state: 'failed', certain: true },
  'checkout.cancelled': { state: 'cancelled', certain: false },
  'checkout.left': { state: 'left', certain: false },
  'checkout.expired': { state: 'expired', certain: false },
  'checkout.unconfirmed': { state: 'unconfirmed', certain: false },
  'checkout.refunded': { ...PAID, refund: 'partial', amountRefunded: '2.00' },
  'checkout.attention': { ...PAID, attention: ['price_changed'] },
} satisfies Readonly<Record<string, Sample>>;

export type EventType = keyof typeof SAMPLES;
export const EVENT_TYPES = Object.keys(SAMPLES) as readonly EventType[];

export interface TriggerOptions {
  readonly type: EventType;
  readonly merchant: string;
  readonly order: string;
  readonly signingSecret: string;
  readonly forwardTo: string;
}

/** Sends one sample. Resolves with the exit code: 0 when the shop acknowledged it. */
export async function trigger(
  { type, merchant, order, signingSecret, forwardTo }: TriggerOptions,
  { stop }: Terminal,
  report: Report,
): Promise<number> {
  const data: EventData = {
    merchant,
    order,
    checkout: 'sample0000000000000000000000_0',
    sequence: 1,
    amount: '9.99',
    currency: 'GBP',
    refund: 'none',
    amountRefunded: '0.00',
    attention: [],
    ...SAMPLES[type],
  };
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  const result = await deliver({ id, body, signingSecret, forwardTo, stop });
  report.answered({ type, order, id, ...result });
  const { status = 0 } = result;
  if (status >= 200 && status < 300) return 0;
  if (status !== 401 && status !== 0) {
    const sentence =
      'A sample proves nothing: a receiver that asks the session server about its order, as events.handler does, finds none. ' +
      'Name an order of yours with --order, or pay one in the sandbox.';
    report.say(sentence, { kind: 'note', message: sentence });
  }
  return 1;
}
