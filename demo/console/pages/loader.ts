/** Loads a part of a page: waiting, the answer, or a problem and what to do. The newest request wins. */
import { html, render, type TemplateResult } from 'lit';
import type { ConsoleProblem } from '../console-view.js';
import { toProblem } from './console-api.js';
import { showFieldProblems } from './forms.js';
import { renderProblem, renderStopped } from './states.js';
import type { Waiting } from './waiting.js';

export interface LoaderOptions {
  readonly host: HTMLElement;
  readonly waiting: Waiting;
  /** Where wrong fields are shown. Default: with the problem. */
  readonly form?: HTMLFormElement;
  /** What is said in the meantime. */
  readonly busy?: string;
}

export interface LoadOptions<T> {
  readonly ask: (signal: AbortSignal) => Promise<T>;
  readonly draw: (answer: T) => TemplateResult;
  /** What came, in a few words. */
  readonly summary: (answer: T) => string;
}

export class Loader {
  readonly #options: LoaderOptions;
  #running = new AbortController();

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  async load<T>(options: LoadOptions<T>): Promise<void> {
    const { host, waiting, busy = 'Asking the provider…' } = this.#options;
    const again = (): void => void this.load(options);
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    host.setAttribute('aria-busy', 'true');
    waiting.start(busy, () => {
      running.abort();
      this.#draw(renderStopped(again));
      waiting.end('');
      host.removeAttribute('aria-busy');
      host.querySelector<HTMLElement>('[data-focus]')?.focus();
    });
    try {
      const answer = await options.ask(running.signal);
      if (running.signal.aborted) return;
      this.#showAtFields(NO_PROBLEM);
      this.#draw(options.draw(answer));
      waiting.end(options.summary(answer));
    } catch (error) {
      if (running.signal.aborted) return;
      const problem = toProblem(error);
      const isSaid = this.#showAtFields(problem);
      this.#draw(isSaid ? html`` : renderProblem(problem, again));
      waiting.end(isSaid ? '' : `${problem.title} ${problem.next}`, 'screen-reader');
      if (problem.code === 'console_unreachable' && !navigator.onLine) {
        addEventListener('online', again, { once: true, signal: running.signal });
      }
    }
    host.removeAttribute('aria-busy');
  }

  /** Answers whether that says it all. */
  #showAtFields(problem: Pick<ConsoleProblem, 'errors'>): boolean {
    const { form } = this.#options;
    return form !== undefined && showFieldProblems(form, problem);
  }

  /** The button that was pressed may go away; the focus then stays in this part of the page. */
  #draw(content: TemplateResult): void {
    const { host } = this.#options;
    const hadFocus = host.contains(document.activeElement);
    render(content, host);
    if (!hadFocus || host.contains(document.activeElement)) return;
    host.tabIndex = -1;
    (host.querySelector<HTMLElement>('[data-focus]') ?? host).focus();
  }
}

const NO_PROBLEM = { errors: [] } as const;
