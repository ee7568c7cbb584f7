import type { SandboxContext } from '../context.js';
import { FAULT_KINDS, isFaultOf, type Fault } from '../faults/faults.js';
import { ApiError } from '../http/errors.js';
import { OPERATIONS } from '../request-log.js';

/** Faults that wait for a call, and calls that wait for their release. */
export function faultControl({ faults }: SandboxContext) {
  return {
    faults(): { queued: Fault[]; held: number } {
      return { queued: faults.list(), held: faults.heldCount };
    },

    addFault(fault: Fault): void {
      if (!isFaultOf(fault.operation, fault.fault)) {
        throw new ApiError(400, 'This operation does not have this fault.', {
          fields: [{ field: 'fault', message: `is not a fault of ${fault.operation}` }],
        });
      }
      faults.add(fault);
    },

    /** Clears the faults and answers every held call. */
    releaseFaults(): void {
      faults.release();
    },
  };
}

/** Which faults each operation has. */
export function describeFaults(): Record<string, readonly string[]> {
  return Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation,
      FAULT_KINDS.filter((kind) => isFaultOf(operation, kind)),
    ]),
  );
}
