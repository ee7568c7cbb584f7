/** Loads a part of a page: waiting, the answer, or a problem and what to do. The newest request wins. */
import { html, render, type TemplateResult, nothing } from 'lit';
import type { ConsoleProblem } from '../console-view.js';
import { toProblem } from './console-api.js';
import { showFieldProblems } from './forms.js';

export interface LoaderOptions {
  readonly host: HTMLElement;
  readonly waiting: Waiting;
  /** Where wrong fields are shown. */
  readonly form: HTMLFormElement;
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
    const { host, waiting, form } = this.#options;
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    host.setAttribute('aria-busy', 'true');
    waiting.start('Asking the provider…');
    try {
      const answer = await options.ask(running.signal);
      if (running.signal.aborted) return;
      showFieldProblems(form, NO_PROBLEM);
      this.#draw(options.draw(answer));
      waiting.end(options.summary(answer));
    } catch (error) {
      if (running.signal.aborted) return;
      const problem = toProblem(error);
      const again = (): void => void this.load(options);
      const isSaid = showFieldProblems(form, problem);
      this.#draw(isSaid ? html`` : renderProblem(problem, again));
      waiting.end(isSaid ? '' : `${problem.title} ${problem.next}`, 'screen-reader');
      if (problem.code === 'console_unreachable' && !navigator.onLine) {
        addEventListener('online', again, { once: true, signal: running.signal });
      }
    }
    host.removeAttribute('aria-busy');
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

/** Shorter waits need no moving picture. */
const SHOW_AFTER_MS = 300;
const STILL_AFTER_MS = 5000;

export class Waiting {
  readonly #words = document.createElement('p');
  readonly #progress = document.createElement('progress');
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(host: HTMLElement) {
    host.className = 'waiting';
    this.#words.setAttribute('role', 'status');
    this.#progress.hidden = true;
    // The words beside it say the same.
    this.#progress.setAttribute('aria-hidden', 'true');
    host.replaceChildren(this.#words, this.#progress);
  }

  start(words: string): void {
    this.#stopTimers();
    this.#words.classList.remove('unseen');
    this.#words.textContent = words;
    this.#timers = [
      setTimeout(() => (this.#progress.hidden = false), SHOW_AFTER_MS),
      setTimeout(() => {
        this.#words.textContent = `${words} This is taking longer than usual.`;
      }, STILL_AFTER_MS),
    ];
  }

  /** Says the outcome; `screen-reader` when the page shows the same words in another place. */
  end(words: string, audience: 'everyone' | 'screen-reader' = 'everyone'): void {
    this.#stopTimers();
    this.#progress.hidden = true;
    this.#words.classList.toggle('unseen', audience === 'screen-reader');
    this.#words.textContent = words;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** The heading can take the focus. Without `retry` there is no button: doing it again is a choice. */
export function renderProblem(problem: ConsoleProblem, retry?: () => void): TemplateResult {
  const { code, title, next, detail, requestId, providerSaid } = problem;
  return html`<section class="problem ${code === 'outcome_unknown' ? 'is-unknown' : ''}">
    <h2 tabindex="-1" data-focus>${title}</h2>
    <p>${next}</p>
    ${
      retry === undefined
        ? nothing
        : html`<button type="button" class="button" @click=${retry}>Try again</button>`
    }
    <details>
      <summary>What is known</summary>
      <p>${detail}</p>
      ${requestId === undefined ? nothing : html`<p>Request id: <code>${requestId}</code></p>`}
      ${
        providerSaid === undefined
          ? nothing
          : html`<p>The provider said:</p>
              <pre class="code">${providerSaid}</pre>`
      }
    </details>
  </section>`;
}
