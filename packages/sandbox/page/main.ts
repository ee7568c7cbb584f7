/** The frame of the page: navigation, the view of the address, and the events that keep it live. */
import { findPage, type Params, queryOf } from '@pay-checkout/page-kit/address';
import { renderNavigation, renderSkipLink } from '@pay-checkout/page-kit/frame';
import { html, nothing, render, type TemplateResult } from 'lit';
import { call, ControlError, type ApiDescription, type Call } from './api.js';
import { badge } from './parts.js';
import type { Frame, View } from './view.js';
import { VIEWS } from './views.js';

/** Many events in a row are one read. */
const PAUSE_MS = 250;
/** What only time changes: hidden transactions, sessions that expire. */
const EVERY_MS = 15_000;
/** Shorter waits need no words. */
const SLOW_MS = 400;

class SandboxPage implements Frame {
  #found: { readonly page: View; readonly params: Params } | undefined;
  /** From the first read of a view on. */
  api!: ApiDescription;
  #answer: unknown;
  #problem: ControlError | undefined;
  #isSlow = false;
  #isLive = true;
  /** The result of the last action. */
  #said = '';
  #failed = '';
  #reading = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPlanned = false;

  start(): void {
    addEventListener('hashchange', () => void this.#open());
    document.addEventListener('visibilitychange', () => this.#plan());
    this.#watch();
    void this.#open({ isFirst: true });
  }

  async act({ done, ...change }: Call & { done: string | ((answer: never) => string) }) {
    this.#said = '';
    this.#failed = '';
    try {
      const answer = await call<never>({ method: 'POST', ...change });
      this.#said = typeof done === 'string' ? done : done(answer);
    } catch (error) {
      this.#failed = toControlError(error).message;
    }
    await this.#refresh();
  }

  filter(query: Params): void {
    const [path = ''] = location.hash.split('?');
    history.replaceState(null, '', path.replace(/^$/, '#/') + queryOf(query));
    this.#found = findPage(location.hash, VIEWS);
    void this.#refresh();
  }

  async copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#said = done;
      this.#failed = '';
    } catch {
      this.#failed = 'The browser refused to copy. Select the text instead.';
    }
    this.#draw();
  }

  /** The browser connects again when the sandbox has restarted. */
  #watch(): void {
    const events = new EventSource('/_sandbox/events');
    events.addEventListener('request', () => this.#plan());
    events.addEventListener('change', () => this.#plan());
    events.addEventListener('open', () => {
      if (!this.#isLive) this.#plan();
      this.#isLive = true;
      this.#draw();
    });
    events.addEventListener('error', () => {
      this.#isLive = false;
      this.#draw();
    });
  }

  async #open({ isFirst = false } = {}): Promise<void> {
    const before = this.#found?.page;
    this.#found = findPage(location.hash, VIEWS);
    if (this.#found?.page !== before) this.#answer = undefined;
    this.#problem = undefined;
    this.#said = '';
    this.#failed = '';
    document.title = `${this.#found?.page.title(this.#found.params) ?? 'Not found'} · Payments sandbox`;
    this.#draw();
    const place = document.querySelector('header [aria-current]');
    place?.scrollIntoView({ block: 'nearest', inline: 'center' });
    // As after a link to another document: what was read out before is gone.
    if (!isFirst) {
      document.querySelector('h1')?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    await this.#refresh();
  }

  #plan(): void {
    if (this.#isPlanned || document.visibilityState !== 'visible') return;
    this.#isPlanned = true;
    setTimeout(() => void this.#refresh(), PAUSE_MS);
  }

  async #refresh(): Promise<void> {
    this.#isPlanned = false;
    clearTimeout(this.#timer);
    this.#reading.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const slow = setTimeout(() => {
      this.#isSlow = true;
      this.#draw();
    }, SLOW_MS);
    const { signal } = reading;
    try {
      this.api ??= await call({ path: '/openapi.json', signal });
      const answer = await this.#found?.page.read(
        (path) => call({ path, signal }),
        this.#found.params,
      );
      if (signal.aborted) return;
      this.#answer = answer;
      this.#problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = toControlError(error);
    } finally {
      clearTimeout(slow);
    }
    this.#isSlow = false;
    this.#draw();
    this.#timer = setTimeout(() => this.#plan(), EVERY_MS);
  }

  #draw(): void {
    render(this.#render(), document.body);
  }

  #render(): TemplateResult {
    const { page: view, params } = this.#found ?? {};
    return html`${renderSkipLink()}
      <header class="container-fluid">
        <p class="buttons">
          <strong><a href="#/" class="contrast">Payments sandbox</a></strong>
          ${badge('no money moves', 'is-wait')}
          <span role="status"
            >${this.#isLive ? badge('Live', 'is-good') : badge('Connecting again …', 'is-wait')}</span
          >
        </p>
        ${renderNavigation('Sandbox', VIEWS, view?.under ?? view?.path)}
      </header>
      <main id="main" class="container-fluid" tabindex="-1">
        <h1 tabindex="-1">${view?.title(params ?? {}) ?? 'Not found'}</h1>
        <div role="status" class="said">${this.#said}</div>
        ${this.#failed && html`<article class="is-bad"><p role="alert">${this.#failed}</p></article>`}
        ${this.#problem && this.#renderProblem(this.#problem)} ${this.#renderView()}
      </main>`;
  }

  #renderView(): TemplateResult | typeof nothing {
    if (this.#found === undefined) {
      return html`<p>There is no such page. <a href="#/">Go to the requests</a>.</p>`;
    }
    if (this.#answer === undefined) {
      return this.#problem
        ? nothing
        : html`<p role="status">${this.#isSlow ? 'Loading …' : ''}</p>`;
    }
    return this.#found.page.draw(this.#answer, this.#found.params, this);
  }

  #renderProblem({ message }: ControlError): TemplateResult {
    return html`<article class="is-bad">
      <p role="alert">${message}</p>
      <button class="outline" @click=${() => this.#refresh()}>Try again</button>
    </article>`;
  }
}

function toControlError(error: unknown): ControlError {
  if (error instanceof ControlError) return error;
  throw error;
}

new SandboxPage().start();
