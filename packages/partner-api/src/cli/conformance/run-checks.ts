import { isPartnerApiError } from '../../errors.js';
import { throwIfInterrupted } from '../exit-codes.js';
import {
  Deviation,
  Skipped,
  type ConformanceCheck,
  type ConformanceTarget,
} from './conformance-check.js';

/** How a check ended. `deviates`: the provider does something else; `error`: it cannot be told. */
export interface CheckResult {
  readonly section: string;
  readonly title: string;
  readonly kind: 'read' | 'write';
  readonly result: 'conforms' | 'deviates' | 'error' | 'skipped';
  readonly reason?: string;
}

/** Runs checks one after the other; a failing one does not end the others. */
export async function* runChecks(
  checks: readonly ConformanceCheck[],
  target: ConformanceTarget,
  allowsWrites: boolean,
): AsyncGenerator<CheckResult> {
  for (const { section, title, kind, run } of checks) {
    throwIfInterrupted(target.signal);
    const facts = { section, title, kind };
    if (kind === 'write' && !allowsWrites) {
      yield { ...facts, result: 'skipped', reason: 'it changes something: give --write' };
      continue;
    }
    try {
      await run(target);
      yield { ...facts, result: 'conforms' };
    } catch (error) {
      yield { ...facts, ...judge(error) };
    }
  }
}

function judge(error: unknown): Pick<CheckResult, 'result' | 'reason'> {
  if (error instanceof Skipped) return { result: 'skipped', reason: error.message };
  if (error instanceof Deviation) return { result: 'deviates', reason: error.message };
  if (!isPartnerApiError(error)) throw error;
  if (error.name === 'CallAbortedError') throw error;
  const { name, message } = error;
  if (name === 'InvalidRequestError') return { result: 'skipped', reason: message };
  const isShape = ['InvalidResponseError', 'PaginationError', 'NotFoundError'].includes(name);
  return { result: isShape ? 'deviates' : 'error', reason: message };
}
