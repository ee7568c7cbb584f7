import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckoutState } from '@pay-checkout/session-server/contract';
import {
  BUTTONS,
  isCertain,
  isOutcome,
  OUTCOME_EVENTS,
  phaseOf,
  type ButtonName,
  type Phase,
} from '../src/flow/phases.ts';
import { en } from '../src/labels/en.ts';

const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');

/** The rows of the table whose header starts with `first`, each as the texts of its cells. */
function tableOf(first: string): string[][] {
  const lines = page.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${first}`)) + 2;
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from, from + length).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim().replaceAll('`', '').replace('–', ''));
  });
}

/** The event of a phase. */
function eventOf(phase: Phase): string {
  if (isOutcome(phase)) return OUTCOME_EVENTS[phase];
  if (phase === 'ready') return 'pay-ready';
  if (phase === 'redirecting') return 'pay-redirect';
  return phase === 'problem' ? 'pay-error' : '';
}

describe('docs/states.md', () => {
  const rows = tableOf('server state');

  it('has one row for each phase of the element, in the same order', () => {
    expect(rows.map((row) => row[2])).toEqual(Object.keys(BUTTONS));
  });

  it.each(rows)('%s %s: the row of %s is what the element does', (...row) => {
    const [state, certain, name, event, words, button] = row;
    const phase = name as Phase;
    if (state && state !== 'open') {
      expect(phaseOf(state as Exclude<CheckoutState, 'open'>)).toBe(phase);
    }
    expect(state ? (isOutcome(phase) && isCertain(phase) ? 'yes' : 'no') : '').toBe(certain);
    expect(eventOf(phase)).toBe(event);
    expect(BUTTONS[phase] ?? '').toBe(button?.replace(', when it can help', ''));
    if (phase !== 'problem') expect(en.phases[phase] ?? '').toBe(words);
  });

  it('describes each button, and no other', () => {
    const names = tableOf('button').map(([name]) => name);
    expect(names.toSorted()).toEqual(
      Object.keys(en.buttons satisfies Record<ButtonName, string>).toSorted(),
    );
  });

  it('has the texts of a decline, a refund, a submitted card and a check', () => {
    const text = page.replace(/\s+/g, ' ');
    expect(text).toContain(`“${en.declined}”`);
    expect(text).toContain(`“${en.refunded}”`);
    expect(text).toContain(`“${en.checking}”`);
    expect(text).toContain(`“${en.submitted}”`);
  });
});
