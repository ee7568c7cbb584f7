import { countSignificantDigits, EXACT_DIGITS } from '../../decimal.js';
import { UsageError } from '../exit-codes.js';

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
/** As it is where the platform gives the text of each number. */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Reads JSON that a person wrote to be sent.
 *
 * @throws {UsageError} when a number in it would lose digits on its way, or it has too many levels
 * @throws {SyntaxError} when it is no JSON
 */
export function parseExactJson(text: string): unknown {
  try {
    return parseWithSource(text, refuseLongNumber);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError('The JSON has too many levels to be sent.', { cause: error });
  }
}

const refuseLongNumber: Reviver = (_key, value, context) => {
  if (typeof value === 'number' && !keepsDigits(value, context?.source ?? String(value))) {
    throw new UsageError(
      'A number of more than 15 digits would be changed on its way: write it as a text, in quotes.',
    );
  }
  return value;
};

function keepsDigits(value: number, source: string): boolean {
  const [digits = ''] = source.split(/e/i);
  return Number.isFinite(value) && countSignificantDigits(digits) <= EXACT_DIGITS;
}
