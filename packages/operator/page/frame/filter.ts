/** What forms that narrow a list down have in common. */
import type { Params } from '@pay-checkout/page-kit/address';
import { html, type TemplateResult } from 'lit';
import { ApiError, download } from './api.js';

export function fieldsOf(form: HTMLFormElement): Params {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]),
  );
}

/** When a day begins, for a query: milliseconds since 1970; undefined for what is no day. */
export function startOfDay(
  day: string | undefined,
  isUtc: boolean,
  daysLater = 0,
): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (date === undefined) return undefined;
  const parts = [Number(year), Number(month) - 1, Number(date) + daysLater] as const;
  return String(isUtc ? Date.UTC(...parts) : new Date(...parts).getTime());
}

/** Saves what the fields of its form select. */
export function renderDownload(name: string, pathOf: (fields: Params) => string): TemplateResult {
  const save = async (event: Event): Promise<void> => {
    const button = event.target as HTMLButtonElement;
    const problem = button.form?.querySelector('[role=alert]');
    if (!button.form || !problem || button.ariaDisabled === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    problem.textContent = '';
    try {
      await download(pathOf(fieldsOf(button.form)), name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.textContent = error.message;
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  return html`<button type="button" class="outline" @click=${save}>Download CSV</button>
    <p class="is-bad" role="alert"></p>`;
}
