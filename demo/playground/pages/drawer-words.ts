/** What the drawer says, in the languages of the two shops. */
import type { ShopSide } from '../break-view.js';

/** Something that happened. */
export interface Line {
  readonly at: Date;
  readonly words: string;
}

const ENGLISH = {
  scenario: 'Scenario of the payment',
  fault: 'Fault of the provider',
  attribute: 'Attribute of the tag',
  set: 'Set',
  play: 'Play',
  refund: 'Refund the payment',
  clear: 'Clear the faults',
  waiting: 'Waits for its call',
  loading: 'Loading …',
  playing: 'Playing …',
  done: 'Played',
  isSet: 'Set',
  unreachable: 'The shop does not answer.',
  silent: 'No message.',
  shopper: 'What the shopper sees',
  shop: 'What the shop sees',
  server: 'What the session server sees',
};

const ARABIC: typeof ENGLISH = {
  scenario: 'سيناريو الدفع',
  fault: 'عطل لدى مزوّد الدفع',
  attribute: 'خاصية الوسم',
  set: 'عيّن',
  play: 'شغّل',
  refund: 'ردّ المبلغ',
  clear: 'امسح الأعطال',
  waiting: 'عطل ينتظر',
  loading: 'جارٍ التحميل …',
  playing: 'جارٍ التشغيل …',
  done: 'تم',
  isSet: 'عُيّن',
  unreachable: 'المتجر لا يجيب.',
  silent: 'لا رسالة الآن.',
  shopper: 'ما يراه المشتري',
  shop: 'ما يراه المتجر',
  server: 'ما يراه خادم الدفع',
};

export function wordsOf(language: string): typeof ENGLISH {
  return language.startsWith('ar') ? ARABIC : ENGLISH;
}

export function describeShop({ state, refund, attention }: ShopSide): string {
  return [state, ...(refund === 'none' ? [] : [`refund: ${refund}`]), ...attention]
    .map((code) => code.replaceAll('_', ' '))
    .join(', ');
}

/** A line of the session server (`<time>  <words>`), or an event that it sent to the shop. */
export function lineOf(
  entry: string | { readonly at: string; readonly type: string; readonly effect: string },
): Line {
  if (typeof entry !== 'string') {
    return { at: new Date(entry.at), words: `${entry.type}: ${entry.effect.replaceAll('_', ' ')}` };
  }
  const [, at = '', words = ''] = /^(\S+) +(.*)$/s.exec(entry) ?? [];
  return { at: new Date(at), words };
}
