import type { LogFields, Logger } from '../logger.js';
import { attentionAdded, type Checkout } from './state-machine.js';

/** What a log line says of a checkout. */
export function logFields({ merchant, order, id, state }: Checkout): LogFields {
  return { merchant, order, checkout: id, state };
}

/** One line for a change of a checkout; `before` is undefined for a new one. */
export function logChange(
  logger: Logger,
  before: Checkout | undefined,
  after: Checkout,
  now: number,
): void {
  if (!before) return;
  const { requestId, createdAt } = after;
  const fields: LogFields = { requestId, ...logFields(after), ms: now - createdAt };
  if (before.state !== after.state) {
    const moved: LogFields = { ...fields, from: before.state, transaction: after.paidBy };
    if (after.state === 'paid') logger.info(moved, 'payment confirmed');
    else logger.info(moved, 'checkout changed');
  }
  if (before.refund !== after.refund) {
    logger.info({ ...fields, refund: after.refund }, 'payment refunded');
  }
  const attention = attentionAdded(before, after);
  if (attention.length > 0) logger.warn({ ...fields, attention }, 'a checkout needs attention');
}
