import { describe, expect, it } from 'vitest';
import type { OrderView } from '../order-view.js';
import { describeTimeline, headlineOf, thankFor } from './order-words.js';

/** What the last line of an order's timeline says after one event that marked it paid. */
function lastWords(type: string, news: Partial<OrderView> = {}): string | undefined {
  const at = '2026-03-01T10:00:00.000Z';
  const view = { createdAt: at, refund: 'none', attention: [], ...news } as Partial<OrderView>;
  const timeline = [{ type, effect: 'paid', at }];
  return describeTimeline({ ...view, timeline } as OrderView).at(-1)?.words;
}

describe('the timeline of an order', () => {
  it.each([
    ['checkout.paid', {}, 'We start packing.'],
    ['checkout.refunded', { refund: 'full' }, 'and was refunded.'],
    ['checkout.refunded', { refund: 'partial' }, 'and part of it was refunded.'],
    ['checkout.attention', { attention: ['late_payment'] }, 'Our team needs to check it'],
    ['checkout.paid', { attention: ['late_payment'] }, 'Our team needs to check it'],
  ] as const)('promises to pack only what may be sent: %s %j', (type, news, words) => {
    const said = lastWords(type, news);
    expect(said).toContain('Your payment has arrived');
    expect(said).toContain(words);
    expect(said?.includes('start packing')).toBe(words.includes('start packing'));
  });
});

describe('a paid order', () => {
  it.each([
    ['none', [], 'Paid', 'Your parcel leaves within two days.'],
    ['none', ['late_payment'], 'Paid', 'check the payment before we pack'],
    ['full', [], 'Refunded', 'Ada, your money is on its way back to you.'],
    ['partial', [], 'Paid, partly refunded', 'Ada, part of your money is on its way back to you.'],
  ] as const)(
    'refunded %s, with attention %j, is headed “%s”',
    (refund, attention, headline, words) => {
      const view = { state: 'paid', firstName: 'Ada', refund, attention } as Partial<OrderView>;
      expect(headlineOf(view as OrderView)).toBe(headline);
      expect(thankFor(view as OrderView)).toContain(words);
    },
  );
});
