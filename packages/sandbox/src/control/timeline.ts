import type { SandboxContext } from '../context.js';
import type { CheckoutSession } from '../resources/session-store.js';
import type { TransactionRow } from '../transactions/transaction.js';
import type { Delivery } from '../webhooks/delivery-log.js';
import type { Action } from '../inspector/action-log.js';
import type { LoggedRequest } from '../logged-request.js';

/** One thing that happened to a checkout. */
export type TimelineEvent = { readonly at: string } & (
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'transaction'; readonly id: string; readonly row: TransactionRow }
  | { readonly kind: 'listed'; readonly id: string }
  | { readonly kind: 'delivery'; readonly delivery: Delivery }
  | { readonly kind: 'expires' | 'expired' }
);

/** Everything that is known about one checkout, oldest first. */
export function makeTimeline(context: SandboxContext, session: CheckoutSession): TimelineEvent[] {
  const { requests, actions, transactions, webhooks } = context;
  const { id: sessionId, transactionIds } = session;
  const events: TimelineEvent[] = [
    ...requests
      .list({ sessionId })
      .map((request) => ({ at: request.at, kind: 'request', request }) as const),
    ...actions
      .list({ sessionId, transactionIds })
      .map((action) => ({ at: action.at, kind: 'action', action }) as const),
    ...webhooks
      .deliveries()
      .filter((delivery) => delivery.sessionId === sessionId)
      .map((delivery) => ({ at: delivery.at, kind: 'delivery', delivery }) as const),
  ];
  for (const id of transactionIds) {
    const paid = transactions.read(id);
    if (paid === undefined) continue;
    const { row, visibleAt } = paid;
    events.push({ at: row.transactionTime, kind: 'transaction', id: row.id, row });
    if (visibleAt > paid.time && !Number.isNaN(new Date(visibleAt).getTime())) {
      events.push({ at: new Date(visibleAt).toISOString(), kind: 'listed', id: row.id });
    }
  }
  if (session.state !== 'paid') {
    const kind = session.state === 'open' ? 'expires' : 'expired';
    events.push({ at: new Date(session.expiresAt).toISOString(), kind });
  }
  return events.sort((a, b) => a.at.localeCompare(b.at));
}
