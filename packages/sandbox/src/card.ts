import { z } from 'zod';
import { ApiError, type FieldError } from './api/api-error.js';
import { parseBody } from './api/json-body.js';
import type { PayingCard } from './checkout-session.js';
import type { Scenario } from './scenarios.js';

const cardBody = z.strictObject(
  {
    number: z.string('expected a string'),
    expiry: z.string('expected a string'),
    securityCode: z.string('expected a string'),
    name: z.string('expected a string').max(200, 'expected at most 200 characters'),
  },
  'expected an object',
);

/** Checks what the card form sent and finds its scenario. A real card is refused. */
export function readCard(
  body: unknown,
  scenarios: readonly Scenario[],
  now: number,
): { card: PayingCard; scenario: Scenario } {
  const input = parseBody(cardBody, body, 'card form');
  const number = input.number.replace(/[\s-]/g, '');
  const scenario = scenarios.find(({ cardNumber }) => cardNumber === number);
  const fields: FieldError[] = [];
  if (scenario === undefined) {
    fields.push({
      field: 'number',
      message: 'Use one of the test cards. A real card never belongs in a sandbox.',
    });
  }
  if (!isFutureMonth(input.expiry, now)) {
    fields.push({ field: 'expiry', message: 'Enter a month that is not over, as MM/YY.' });
  }
  if (!/^\d{3,4}$/.test(input.securityCode.trim())) {
    fields.push({ field: 'securityCode', message: 'Enter the 3 or 4 digits of the code.' });
  }
  if (input.name.trim() === '') {
    fields.push({ field: 'name', message: 'Enter the name on the card.' });
  }
  if (scenario === undefined || fields.length > 0) {
    throw new ApiError(422, 'Please check the card.', { fields });
  }
  return { card: { last4Digits: number.slice(-4), holder: input.name.trim() }, scenario };
}

function isFutureMonth(expiry: string, now: number): boolean {
  const match = /^(0[1-9]|1[0-2])\s*\/\s*(\d{2})$/.exec(expiry.trim());
  if (match === null) return false;
  const firstMomentAfter = Date.UTC(2000 + Number(match[2]), Number(match[1]), 1);
  return now < firstMomentAfter;
}
