/** A form that has something done: sent once, and what came of it is said, shown and in focus. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import { findFormProblems, showFormProblems } from '../../shared/pages/form-problems.js';
import { send, toProblem } from './console-api.js';
import { showFieldProblems, toQuery } from './forms.js';
import { renderProblem } from './states.js';
import { Waiting } from './waiting.js';

export interface ActionFormOptions<T> {
  readonly form: HTMLFormElement;
  readonly waiting: HTMLElement;
  readonly result: HTMLElement;
  /** The route of the back end. */
  readonly path: string;
  /** What is said while it is done. */
  readonly busy: string;
  /** The body, from the fields that are filled in. Default: just these. */
  readonly toBody?: (fields: Readonly<Record<string, string>>) => unknown;
  /** Shows the answer, below a heading with `data-focus`. */
  readonly draw: (answer: T) => TemplateResult;
  readonly onDone?: (answer: T) => void;
}

/** After a problem the form stays as it is, and sending it again is the person's choice. */
export function startActionForm<T>(options: ActionFormOptions<T>): void {
  const { form, result, path, busy, toBody, draw, onDone } = options;
  const waiting = new Waiting(options.waiting);
  const button = find(form, 'button[type=submit]', HTMLButtonElement);
  let isSending = false;

  const submit = async (): Promise<void> => {
    if (isSending) return;
    const problems = findFormProblems(form);
    showFormProblems(form, problems);
    if (problems.length > 0) return;
    const fields = Object.fromEntries(toQuery(form));
    isSending = true;
    // Not `disabled`: that would throw the focus away.
    button.setAttribute('aria-disabled', 'true');
    render(html``, result);
    const running = new AbortController();
    waiting.start(busy, () => running.abort());
    try {
      const answer = await send<T>(path, toBody?.(fields) ?? fields, running.signal);
      render(draw(answer), result);
      onDone?.(answer);
    } catch (error) {
      const problem = toProblem(error);
      const isSaid = showFieldProblems(form, problem);
      if (!isSaid) render(renderProblem(problem), result);
    }
    waiting.end('');
    // The heading says what came of it; a live region would say it twice.
    result.querySelector<HTMLElement>('[data-focus]')?.focus();
    button.removeAttribute('aria-disabled');
    isSending = false;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
}
