/** Suggestions for forms: what the team works with, by the console's settings. */
import type { KnownThings } from '../../../shared/console-view.js';
import { read } from './console-api.js';

/** Without them the forms work too: everything can be typed. */
export async function readKnownThings(): Promise<KnownThings> {
  return read<KnownThings>('/api/known').catch(() => ({
    partners: [],
    merchants: [],
    reportSchedules: [],
  }));
}

/** Fills a list of suggestions. */
export function suggest(
  id: string,
  options: readonly { readonly value: string; readonly label?: string }[],
): void {
  const list = document.getElementById(id);
  list?.replaceChildren(...options.map(({ value, label }) => new Option(label ?? value, value)));
}

export function suggestMerchants(id: string, { merchants }: KnownThings): void {
  suggest(
    id,
    merchants.map((merchant) => ({ value: String(merchant.id), label: merchant.name })),
  );
}
