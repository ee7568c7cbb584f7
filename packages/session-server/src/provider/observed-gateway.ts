import type { PartnerGateway } from './gateway.js';
import type { Observer } from '../observer.js';

/** A gateway that tells of each call how it ended and how long it took. */
export function observeGateway(
  gateway: PartnerGateway,
  observer: Pick<Observer, 'providerCalled'>,
): PartnerGateway {
  return {
    async createSession(fields) {
      const seconds = startTimer();
      const result = await gateway.createSession(fields);
      observer.providerCalled({
        operation: 'create_session',
        outcome: result.kind,
        seconds: seconds(),
      });
      return result;
    },

    async listTransactions(query) {
      const seconds = startTimer();
      let outcome = 'failed';
      try {
        const page = await gateway.listTransactions(query);
        outcome = 'ok';
        return page;
      } finally {
        observer.providerCalled({ operation: 'list_transactions', outcome, seconds: seconds() });
      }
    },
  };
}

function startTimer(): () => number {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
}
