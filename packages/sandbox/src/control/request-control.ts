import type { SandboxContext } from '../context.js';
import type { RecordedCall } from '../inspector/recorded-call.js';
import type { LoggedRequest } from '../logged-request.js';
import type { RequestFilter } from '../request-log.js';

/** The calls of the API. */
export function requestControl({ requests }: SandboxContext) {
  return {
    /** The calls of the API, oldest first. */
    requests(filter?: RequestFilter): readonly LoggedRequest[] {
      return requests.list(filter);
    },

    /** A call with its headers and bodies, while they are kept. Secrets are masked. */
    findRequest(number: number): Partial<RecordedCall> | undefined {
      return requests.find(number);
    },

    /** How many calls of each operation there are. */
    requestCounts(): Readonly<Record<string, number>> {
      return requests.counts();
    },

    clearRequests(): void {
      requests.clear();
    },
  };
}
