import type { SandboxContext } from '../context.js';
import { isFaultOf } from '../faults/fault-table.js';
import type { Fault } from '../faults/fault.js';
import { ApiError } from '../http/errors.js';

/** Faults that wait for what they hit, and calls that wait for their release. */
export function faultControl({ faults }: SandboxContext) {
  return {
    faults(): { queued: Fault[]; held: number } {
      return { queued: faults.list(), held: faults.heldCount };
    },

    addFault(fault: Fault): void {
      if (!isFaultOf(fault.operation, fault.fault)) {
        throw new ApiError(400, 'This target does not have this fault.', {
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
