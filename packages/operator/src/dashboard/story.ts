import type { TimelineEntry } from '../page-view.js';
import { describeReason } from '../timeline-words.js';
import type { StoryEntry } from './view.js';

/**
 * What happened to an order, as its merchant understands it: without what the platform and the provider say
 * to each other, and without the notes of the platform's people.
 */
export function describeStory(entries: readonly TimelineEntry[]): StoryEntry[] {
  return entries.flatMap((entry) => {
    const line = describe(entry);
    return line ? [{ at: entry.at, text: line[0], tone: line[1] ?? '' }] : [];
  });
}

type Line = readonly [text: string, tone?: StoryEntry['tone']];

function describe(entry: TimelineEntry): Line | undefined {
  switch (entry.kind) {
    case 'checkout':
      return [`A checkout was created for ${entry.detail.price}.`];
    case 'session':
      return SESSIONS[entry.detail.result];
    case 'hint':
      return HINTS[entry.detail.kind];
    case 'return':
      return RETURNS[entry.detail.kind];
    case 'webhook':
      return ['The provider sent a webhook, so its list was read.', 'hint'];
    case 'match': {
      const { result, reason } = entry.detail;
      if (result !== 'mismatch') return undefined;
      const why = reason === undefined ? '' : `: ${describeReason(reason)}`;
      const transaction = entry.subject === undefined ? 'a transaction' : entry.subject;
      return [
        `The provider lists ${transaction}, which does not count for this order${why}.`,
        'bad',
      ];
    }
    case 'transaction': {
      const { status, amount, currency } = entry.detail;
      const row = `${entry.subject}: ${status}, ${amount} ${currency}`;
      return [`The provider lists transaction ${row}.`, 'good'];
    }
    case 'state':
      return describeState(entry.detail);
    case 'delivery':
      return describeDelivery(entry.detail);
    case 'audit':
      return ACTIONS[entry.detail.action];
    // What the platform asked the provider, and that an event was stored: its delivery follows.
    case 'request':
    case 'poll':
    case 'event':
      return undefined;
  }
}

function describeState(detail: Extract<TimelineEntry, { kind: 'state' }>['detail']): Line {
  const { from, to, attention = [], refundedMinor } = detail;
  if (attention.length > 0) {
    const why = attention.map((code) => code.replaceAll('_', ' ')).join(', ');
    const paid = from !== to && to === 'paid' ? 'The order is paid. ' : '';
    return [`${paid}Check before shipping: ${why}.`, 'bad'];
  }
  if (from === to && refundedMinor !== undefined) {
    return ['The refunded amount has changed.', 'good'];
  }
  return STATES[to] ?? [`The order is ${to}.`];
}

function describeDelivery(detail: Extract<TimelineEntry, { kind: 'delivery' }>['detail']): Line {
  const { type, status, error, result } = detail;
  const answer = status === undefined ? (error ?? 'no answer') : `answer ${String(status)}`;
  switch (result) {
    case 'acknowledged':
      return [`Your receiver took the event ${type} (${answer}).`, 'good'];
    case 'retrying':
      return [`Your receiver did not take the event ${type} (${answer}); it is sent again.`, 'bad'];
    case 'dead_lettered':
      return [`The event ${type} was given up after three days (${answer}).`, 'bad'];
    case 'skipped':
      return [`The event ${type} is in your feed.`];
  }
}

const SESSIONS: Readonly<Partial<Record<string, Line>>> = {
  created: ['The provider opened a payment session.'],
  refused: ['The provider refused to open a payment session.', 'bad'],
  not_sent: ['The provider could not be asked for a payment session.', 'bad'],
  unknown: ['The provider did not answer in time; the next try opens another session.', 'bad'],
};

const HINTS: Readonly<Partial<Record<string, Line>>> = {
  shown: ['The payment form was shown.', 'hint'],
  submitted: [
    'The shopper submitted a payment. The provider’s list says whether it is paid.',
    'hint',
  ],
  declined: ['The payment form said that the payment was declined.', 'hint'],
  cancelled: ['The payment form said that the shopper cancelled.', 'hint'],
  refused: ['The payment form refused the session.', 'hint'],
  error: ['The payment form had an error.', 'hint'],
};

const RETURNS: Readonly<Partial<Record<string, Line>>> = {
  return: [
    'The shopper came back from paying. The provider’s list says whether it is paid.',
    'hint',
  ],
  cancel: ['The shopper came back after cancelling.', 'hint'],
  back: ['The shopper came back without paying.', 'hint'],
};

const STATES: Readonly<Partial<Record<string, Line>>> = {
  paid: ['The order is paid. This is certain.', 'good'],
  failed: ['The payment failed. This is certain; the shopper can pay again.', 'bad'],
  returned: ['The payment is being confirmed.', 'hint'],
  unconfirmed: [
    'The payment could not be confirmed in time. It is confirmed when the provider lists it.',
    'bad',
  ],
  cancelled: ['The shopper cancelled. The shopper can pay again.'],
  left: ['The shopper left. The shopper can pay again.'],
  expired: ['The checkout expired. The shopper can pay again.'],
  open: ['The order can be paid again.'],
};

const ACTIONS: Readonly<Partial<Record<string, Line>>> = {
  poll: ['Your platform had the provider’s list read.'],
  redeliver: ['An event was sent again on request.'],
  resolve: ['Your platform has dealt with what was to be checked.'],
  void: ['Your platform made the order void.'],
};
