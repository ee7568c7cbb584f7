/** What several views draw. */
import { linkTo, type Params } from '@pay-checkout/page-kit/address';
import { html, type TemplateResult } from 'lit';
import { formatMoney } from '../src/money.js';
import { type Frame } from './view.js';

const TONES: Readonly<Record<string, string>> = {
  paid: 'is-good',
  approved: 'is-good',
  SUCCESS: 'is-good',
  delivered: 'is-good',
  declined: 'is-bad',
  expired: 'is-bad',
  failed: 'is-bad',
  dropped: 'is-bad',
  REFUNDED: 'is-wait',
  held: 'is-wait',
  pending: 'is-wait',
  challenge: 'is-wait',
  retrying: 'is-wait',
};

/** A word for a state, with a colour. */
export function badge(word: string, tone = TONES[word] ?? ''): TemplateResult {
  return html`<span class="badge ${tone}">${word}</span>`;
}

export function statusBadge(status: number | undefined, otherwise = 'no answer'): TemplateResult {
  if (status === undefined) return badge(otherwise, TONES[otherwise] ?? 'is-bad');
  return badge(String(status), status < 300 ? 'is-good' : status < 400 ? 'is-wait' : 'is-bad');
}

/** Sandbox time: the same text as in requests and answers, without its date where that is today's. */
export function time(iso: string): TemplateResult {
  return html`<time datetime=${iso} title=${iso}
    ><span class="date">${iso.slice(0, 10)}</span> ${iso.slice(11, 23)}</time
  >`;
}

export function money(amount: string | undefined, currency: string | undefined): string {
  if (amount === undefined) return '–';
  return currency === undefined ? amount : formatMoney(amount, currency);
}

/** The beginning of a long id, which links to the whole. */
export function sessionLink(id: string): TemplateResult {
  return html`<a href=${linkTo(`sessions/${encodeURIComponent(id)}`)} title=${id}
    ><code>${id.slice(0, 8)}…</code></a
  >`;
}

export function transactionLink(id: string): TemplateResult {
  return html`<a href=${linkTo(`transactions/${encodeURIComponent(id)}`)}><code>${id}</code></a>`;
}

let typed: ReturnType<typeof setTimeout> | undefined;

/** A search that filters while one types. */
export function renderSearch(label: string, params: Params, frame: Frame): TemplateResult {
  const search = (event: Event): void => {
    const { value } = event.target as HTMLInputElement;
    clearTimeout(typed);
    typed = setTimeout(() => {
      const { before: _before, cursor: _cursor, ...others } = params;
      frame.filter({ ...others, search: value });
    }, 150);
  };
  return html`<p>
    <label class="unseen" for="search">${label}</label>
    <input
      id="search"
      type="search"
      placeholder=${label}
      autocomplete="off"
      spellcheck="false"
      maxlength="200"
      .value=${params['search'] ?? ''}
      @input=${search}
    />
  </p>`;
}
