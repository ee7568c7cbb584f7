/** A form whose values live in the address: they can be kept, sent to a colleague, and gone back to. */
import { findFormProblems, showFormProblems } from '../../shared/pages/form-problems.js';
import type { ConsoleProblem, KnownThings } from '../console-view.js';
import { read } from './console-api.js';

/** Fills the form with what the address says; an address that says nothing means the usual values. */
export function readAddress(form: HTMLFormElement): void {
  form.reset();
  const said = new URLSearchParams(location.search);
  // The empty choice leaves no trace in the address of its own.
  if (said.size > 0) for (const select of form.querySelectorAll('select')) select.value = '';
  for (const [name, value] of said) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
      if (control instanceof HTMLSelectElement) offer(control, value);
      control.value = value;
      control.closest('details')?.setAttribute('open', '');
    }
  }
}

/** A value that is not offered is asked for all the same: what it means is not for us to say. */
function offer(select: HTMLSelectElement, value: string): void {
  const isOffered = [...select.options].some((option) => option.value === value);
  if (!isOffered) select.add(new Option(value, value));
}

/** The values of the form that are not empty, as a query. A control that is switched off has none. */
export function toQuery(form: HTMLFormElement): URLSearchParams {
  const given = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
  );
  return new URLSearchParams(given);
}

/** Calls back when the person asks for something, and when they go back to what they asked before. */
export function watchFilters(form: HTMLFormElement, load: () => void): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const problems = findFormProblems(form);
    showFormProblems(form, problems);
    if (problems.length > 0) return;
    const query = toQuery(form).toString();
    if (query !== location.search.slice(1)) history.pushState(null, '', `?${query}`);
    load();
  });
  addEventListener('popstate', () => {
    readAddress(form);
    load();
  });
}

/** Shows at the form what the back end found wrong with it. Answers whether that says it all. */
export function showFieldProblems(
  form: HTMLFormElement,
  { errors = [] }: Pick<ConsoleProblem, 'errors'>,
): boolean {
  const labels = readLabels(form);
  showFormProblems(
    form,
    errors.map(({ field, message }) => {
      const label = labels.get(field) ?? field;
      return { field, label, message: toSentence(message, labels) };
    }),
  );
  return errors.length > 0;
}

/** What each field is called on the page. */
function readLabels(form: HTMLFormElement): ReadonlyMap<string, string> {
  const labels = [...form.querySelectorAll('label')];
  return new Map(
    labels.map((label) => [label.htmlFor, label.firstChild?.textContent?.trim() ?? label.htmlFor]),
  );
}

/** The message as a sentence. Names such as `from_date`, which are no words, become labels. */
function toSentence(message: string, labels: ReadonlyMap<string, string>): string {
  const words = message.replace(/\b[a-z]+(?:_[a-z]+|[A-Z][a-z]+)+\b/g, (name) => {
    const label = labels.get(name);
    return label === undefined ? name : `“${label}”`;
  });
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/**
 * What the team works with, offered in the lists of the page. Without it the forms work too: everything
 * can be typed.
 */
export async function suggestKnownThings(): Promise<KnownThings> {
  const known = await read<KnownThings>('/api/known').catch((): KnownThings => ({
    partners: [],
    merchants: [],
    reportSchedules: [],
  }));
  const offer = (id: string, options: readonly HTMLOptionElement[]): void =>
    document.getElementById(id)?.replaceChildren(...options);
  offer('partners', known.partners.map(toOption));
  offer('schedules', known.reportSchedules.map(toOption));
  offer(
    'merchants',
    known.merchants.map(({ id, name }) => new Option(name, String(id))),
  );
  return known;
}

const toOption = (value: string) => new Option(value, value);
