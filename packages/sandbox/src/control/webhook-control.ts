import type { SandboxContext } from '../context.js';
import { ApiError } from '../http/errors.js';
import type { RecordedDelivery } from '../webhooks/delivery-log.js';
import { summarizeEndpoint } from '../resources/webhook-endpoints.js';
import type { WebhookOutcome } from '../switches.js';
import type { Delivery } from '../webhooks/delivery-log.js';
import { findSession } from './session-control.js';

/** Webhooks: where they go, each try, and what is sent by hand. */
export function webhookControl(context: SandboxContext) {
  const { endpoints, notifier, transactions, webhooks } = context;
  return {
    /** The registered endpoints, their keys masked (spec 4.7, rule 2). */
    endpoints(): ReturnType<typeof summarizeEndpoint>[] {
      return endpoints.list().map(summarizeEndpoint);
    },

    deliveries(): readonly Delivery[] {
      return webhooks.deliveries();
    },

    /** A try with its headers and bodies, while they are kept. Secrets are masked. */
    readDelivery(number: number): Delivery & Partial<RecordedDelivery> {
      const delivery = webhooks.findDelivery(number);
      if (delivery === undefined) throw new ApiError(404, 'There is no try with this number.');
      return delivery;
    },

    /** Sends a webhook about a session now, whatever the switches say. @returns the ids */
    sendWebhook(sessionId: string, outcome: WebhookOutcome = 'paid', isForged = false): string[] {
      const session = findSession(context, sessionId);
      const id = isForged ? undefined : session.transactionIds[0];
      const row = id === undefined ? undefined : transactions.read(id)?.row;
      const isOfRow = outcome === 'paid' || outcome === 'refunded';
      return notifier.send(session, outcome, { row: isOfRow ? row : undefined, isForged });
    },

    /** Sends a webhook once more, and waits for the answer. `id`: `webhook` of its deliveries. */
    async resendWebhook(id: string): Promise<Delivery> {
      const delivery = await webhooks.resend(id);
      if (delivery === undefined) {
        throw new ApiError(404, 'No webhook with this id was sent lately.');
      }
      return delivery;
    },

    /** The next `count` webhooks wait for each other, and go out last first. */
    reorderWebhooks(count: number): void {
      webhooks.reorder(count);
    },
  };
}
