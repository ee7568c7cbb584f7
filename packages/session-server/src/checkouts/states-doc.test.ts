import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckoutState } from '../contract.js';
import { isCertain } from './state-machine.js';

const STATES: Record<CheckoutState, true> = {
  open: true,
  returned: true,
  paid: true,
  failed: true,
  cancelled: true,
  left: true,
  expired: true,
  unconfirmed: true,
};

/** `[state, certain]` of each row of the table that is about a state of the server. */
function documentedStates(): (readonly [string, string])[] {
  const text = readFileSync(new URL('../../../../docs/states.md', import.meta.url), 'utf8');
  return text
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, state = '', certain = '']) => {
      const name = /^`(\w+)`$/.exec(state)?.[1];
      return name !== undefined && (certain === 'yes' || certain === 'no') ? [[name, certain]] : [];
    });
}

describe('docs/states.md', () => {
  it('lists every state of the server, and says truly which are certain', () => {
    const documented = documentedStates();
    expect(new Set(documented.map(([state]) => state))).toEqual(new Set(Object.keys(STATES)));
    for (const [state, certain] of documented) {
      expect(certain, state).toBe(isCertain(state as CheckoutState) ? 'yes' : 'no');
    }
  });
});
