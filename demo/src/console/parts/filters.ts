/** A form whose values live in the address: they can be kept, sent to a colleague, and gone back to. */
import type { ConsoleProblem } from '../../../shared/console-view.js';
import { findFormProblems, showFormProblems } from '../../parts/form-problems.js';

/** Fills the form with what the address says; what it does not say keeps its usual value. */
export function readAddress(form: HTMLFormElement): void {
  form.reset();
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
      control.value = value;
    }
  }
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
  showFormProblems(
    form,
    errors.map(({ field, message }) => {
      const label = form.querySelector(`label[for="${CSS.escape(field)}"]`)?.textContent?.trim();
      return { field, message: `${label ?? field}: ${message}` };
    }),
  );
  return errors.length > 0;
}
