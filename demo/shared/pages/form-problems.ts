/** Reads a form, and shows what is wrong with it: at the field, in a summary, and by the focus. */

import { type FormWords, formWords } from '../form-words.js';

/** What is wrong with one field; an empty name means the form as a whole. */
export interface FormProblem {
  readonly field: string;
  readonly message: string;
  /** What the field is called, for messages that do not say it themselves. */
  readonly label?: string;
}

type Control = HTMLInputElement | HTMLSelectElement;

/** The values of the form: `customer.email` becomes `{ customer: { email } }`. */
export function readForm(form: HTMLFormElement): Record<string, Record<string, string>> {
  const groups: Record<string, Record<string, string>> = {};
  for (const control of listControls(form)) {
    const [group, name] = control.name.split('.');
    const value = control.value.trim();
    if (group === undefined || name === undefined || value === '') continue;
    (groups[group] ??= {})[name] = value;
  }
  return groups;
}

/** What the browser itself finds wrong. The back end checks again, and more. */
export function findFormProblems(
  form: HTMLFormElement,
  words: FormWords = formWords,
): FormProblem[] {
  return listControls(form).flatMap((control) => {
    const isBlank = control.required && control.value.trim() === '';
    if (control.validity.valid && !isBlank) return [];
    const label = labelOf(control);
    const message = isBlank ? words.enter(label) : words.check(label, control.validationMessage);
    return [{ field: control.name, message }];
  });
}

/** Shows these problems and no others, and takes the focus to the first one. */
export function showFormProblems(
  form: HTMLFormElement,
  problems: readonly FormProblem[],
  words: FormWords = formWords,
): void {
  const controls = listControls(form);
  for (const control of controls) {
    showAtField(control, problems.find(({ field }) => field === control.name)?.message);
  }
  const summary = form.querySelector<HTMLElement>('.problems');
  if (summary === null) return;
  summary.hidden = problems.length === 0;
  summary.replaceChildren(...(problems.length === 0 ? [] : makeSummary(problems, controls, words)));
  const first = controls.find(({ name }) => problems.some(({ field }) => field === name));
  first?.focus();
}

function makeSummary(
  problems: readonly FormProblem[],
  controls: readonly Control[],
  { checkMarked }: FormWords,
): Element[] {
  const heading = document.createElement('h2');
  heading.textContent = checkMarked;
  const list = document.createElement('ul');
  list.append(
    ...problems.map(({ field, message, label }) => {
      const text = label === undefined ? message : `${label}: ${message}`;
      const item = document.createElement('li');
      const control = controls.find(({ name }) => name === field);
      if (control === undefined) {
        item.textContent = text;
      } else {
        const link = document.createElement('a');
        link.href = `#${control.id}`;
        link.textContent = text;
        item.append(link);
      }
      return item;
    }),
  );
  return [heading, list];
}

function showAtField(control: Control, message: string | undefined): void {
  const errorId = `${control.id}-error`;
  document.getElementById(errorId)?.remove();
  const others = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((id) => id !== '' && id !== errorId);
  if (message !== undefined) {
    const error = document.createElement('p');
    error.id = errorId;
    error.className = 'field-error';
    error.textContent = message;
    control.before(error);
    others.push(errorId);
  }
  control.toggleAttribute('aria-invalid', false);
  if (message !== undefined) {
    control.setAttribute('aria-invalid', 'true');
    control.closest('details')?.setAttribute('open', '');
  }
  if (others.length > 0) control.setAttribute('aria-describedby', others.join(' '));
  else control.removeAttribute('aria-describedby');
}

function labelOf(control: Control): string {
  return control.labels?.[0]?.firstChild?.textContent?.trim() ?? control.name;
}

function listControls(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element) => element instanceof HTMLInputElement || element instanceof HTMLSelectElement,
  );
}
