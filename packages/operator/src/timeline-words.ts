import type { MatchReason } from '@pay-checkout/session-server/internals';
import type { AuditView, TimelineEntry } from './page-view.js';

/** One thing that happened to an order, in words: for `explain` and for the page. */
export function describeEntry(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'checkout':
      return `Checkout created for ${entry.detail.price}${nameRequest(entry.detail.requestId)}`;
    case 'request': {
      const { reference, requestId } = entry.detail;
      return `Session requested: order_id ${entry.subject}, reference ${reference}${nameRequest(requestId)}`;
    }
    case 'session': {
      const { result, status, providerRequestId } = entry.detail;
      const answer = status === undefined ? '' : ` with ${String(status)}`;
      const request = nameRequest(providerRequestId, 'the provider’s request');
      return `${SESSION_RESULTS[result] ?? result}${answer}: order_id ${entry.subject ?? ''}${request}`;
    }
    case 'hint':
      return `Hint of the page: ${HINTS[entry.detail.kind] ?? entry.detail.kind}`;
    case 'return':
      return `${RETURNS[entry.detail.kind] ?? entry.detail.kind}: order_id ${entry.subject ?? ''}`;
    case 'webhook': {
      const { status, flags } = entry.detail;
      const words = [status, ...flags].map((word) => word.replaceAll('_', ' ')).join(', ');
      return `Webhook of the provider, ${words}: order_id ${entry.subject}`;
    }
    case 'poll': {
      const { result, count, since } = entry.detail;
      const times =
        count === 1
          ? ''
          : ` ${String(count)} times in ${describeDuration((entry.at - since) / 1000)}`;
      return `Provider’s list polled${times}${POLLS[result]}`;
    }
    case 'match': {
      const { result, reason, status, amount, currency } = entry.detail;
      const row = [entry.subject ?? 'without an id', status, amount, currency].filter(Boolean);
      const why = reason === undefined ? '' : `: ${describeReason(reason)}`;
      return `Transaction ${row.join(' ')} ${MATCHES[result] ?? result}${why}`;
    }
    case 'transaction': {
      const { status, amount, currency, transactionTime, provesPrice } = entry.detail;
      const row = `${entry.subject} ${status} ${amount} ${currency} of ${transactionTime}`;
      return `Transaction stored: ${row}${provesPrice ? ', which proves the price' : ''}`;
    }
    case 'state': {
      const { from, to, attention = [], refundedMinor } = entry.detail;
      const parts = [
        ...(from === to ? [] : [`${from} → ${to}`]),
        ...(refundedMinor === undefined ? [] : ['refund changed']),
        ...attention.map((code) => `attention: ${code.replaceAll('_', ' ')}`),
      ];
      return `Checkout: ${parts.join(', ')}`;
    }
    case 'event':
      return `Event ${entry.detail.type} stored: ${entry.subject}`;
    case 'delivery': {
      const { type, try: number, status, error, result } = entry.detail;
      const answer = status === undefined ? (error ?? 'not sent') : `answer ${String(status)}`;
      return `Event ${type}, try ${String(number)}: ${answer}, ${DELIVERIES[result]}`;
    }
    case 'audit':
      return describeAction(entry.detail);
  }
}

function nameRequest(id: string | undefined, what = 'request'): string {
  return id === undefined ? '' : `, ${what} ${id}`;
}

/** Why a row did not count: a code of the matching, a code of attention, or what older servers stored, a sentence. */
export function describeReason(reason: string): string {
  return (
    (REASONS as Readonly<Partial<Record<string, string>>>)[reason] ?? reason.replaceAll('_', ' ')
  );
}

/** `3 min`, `2 h`: the largest unit that fits. */
export function describeDuration(seconds: number): string {
  if (seconds < 120) return `${String(Math.round(seconds))} s`;
  if (seconds < 7200) return `${String(Math.round(seconds / 60))} min`;
  if (seconds < 172_800) return `${String(Math.round(seconds / 3600))} h`;
  return `${String(Math.round(seconds / 86_400))} days`;
}

/** What an operator did, in words. */
export function describeAction(done: AuditView): string {
  const { actor, action, target, note } = done;
  const what = target === undefined ? '' : ` ${describeTarget(done)}`;
  return `${actor} ${ACTIONS[action]}${what}${note ? `: “${note}”` : ''}`;
}

/** The codes of what was resolved are words, an id stays as it is. */
export function describeTarget({
  action,
  target = '',
}: Pick<AuditView, 'action' | 'target'>): string {
  if (action === 'note' && target !== '') return `for ${target}`;
  return action === 'resolve' ? target.replaceAll('_', ' ') : target;
}

const SESSION_RESULTS: Readonly<Record<string, string>> = {
  created: 'Session created',
  refused: 'Session refused by the provider',
  not_sent: 'Session request not sent',
  unknown: 'Answer to the session request lost',
};

const HINTS: Readonly<Record<string, string>> = {
  shown: 'the form is shown',
  submitted: 'the shopper submitted a payment',
  declined: 'declined',
  cancelled: 'cancelled',
  refused: 'the SDK refused the session',
  error: 'an error in the page or the SDK',
};

const RETURNS: Readonly<Record<string, string>> = {
  return: 'Shopper came back from paying',
  cancel: 'Shopper came back after cancelling',
  back: 'Shopper came back without paying',
};

const POLLS = {
  read: '',
  incomplete: ', and rows may be missing',
  failed: ', and it could not be read',
} as const;

const REASONS: Readonly<Record<MatchReason, string>> = {
  no_reference: 'no match field carries this attempt’s order_id or MerchantReference',
  other_reference: 'another match field carries the MerchantReference of another attempt',
  no_id: 'the row has no id',
  other_merchant: 'the row is of another merchant',
  no_status: 'the row has no status',
  unlisted_status: 'the status is not in the paid list',
  unreadable_time: 'the row has no transactionTime that can be read',
  too_old: 'the transaction is older than the attempt',
};

const MATCHES: Readonly<Record<string, string>> = {
  paid: 'counts',
  refunded: 'counts as a refund',
  failed: 'says that the payment failed',
  mismatch: 'does not count, and needs a person',
  none: 'does not count',
};

const DELIVERIES = {
  acknowledged: 'acknowledged',
  retrying: 'to be retried',
  dead_lettered: 'dead-lettered',
  skipped: 'the shop reads the feed',
} as const;

const ACTIONS: Readonly<Record<AuditView['action'], string>> = {
  poll: 'asked for a poll',
  redeliver: 'redelivered',
  resolve: 'resolved',
  void: 'made the order void',
  note: 'noted',
  rotate: 'added a value of the',
  retire: 'removed the old values of the',
};
