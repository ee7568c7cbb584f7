import { z } from 'zod';
import { integer, pauseSeconds, text } from '../schemas.js';
import { FAULT_KINDS, FAULT_TARGETS } from './fault-table.js';

/** A fault as the control route takes it. */
export const faultBody = z
  .strictObject({
    operation: z.enum(FAULT_TARGETS, `expected ${FAULT_TARGETS.join(', ')}`),
    fault: z.enum(FAULT_KINDS, `expected ${FAULT_KINDS.join(', ')}`),
    status: integer.min(200, 'expected 200 to 599').max(599, 'expected 200 to 599').optional(),
    retryAfterSeconds: integer.min(0, 'expected at least 0').optional(),
    retryAfterAs: z.enum(['seconds', 'date'], 'expected seconds or date').optional(),
    location: text.optional(),
    seconds: pauseSeconds.optional(),
    probability: z
      .number('expected 0 to 1')
      .min(0, 'expected 0 to 1')
      .max(1, 'expected 0 to 1')
      .optional(),
    latencySeconds: z
      .tuple([pauseSeconds, pauseSeconds], 'expected [least, most] in seconds')
      .readonly()
      .optional(),
    times: integer.min(1, 'expected at least 1').optional(),
  })
  .refine(({ fault, status }) => fault !== 'error' || status === undefined || status >= 400, {
    path: ['status'],
    error: 'expected 400 to 599 for an error',
  });
