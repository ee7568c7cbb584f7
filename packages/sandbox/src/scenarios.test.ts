import { expect, it } from 'vitest';
import { SCENARIOS } from './scenarios.js';

function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0;
}

it('gives every scenario a card of its own that belongs to no scheme and passes the Luhn check', () => {
  const numbers = SCENARIOS.map(({ cardNumber }) => cardNumber);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const number of numbers) {
    expect(number).toMatch(/^9\d{15}$/);
    expect(passesLuhn(number)).toBe(true);
  }
});
