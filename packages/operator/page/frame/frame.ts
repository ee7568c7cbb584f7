/** The frame of a page for people: sign-in, navigation, and a page that reads itself again and again. */
import { findPage, linkTo, type Params } from '@pay-checkout/page-kit/address';
import { renderNavigation, renderSkipLink } from '@pay-checkout/page-kit/frame';
import { html, nothing, render, type TemplateResult } from 'lit';
import { ApiError, read, send, signOut } from './api.js';
import { askForKey, askFirst, signInForm } from './dialogs.js';
import { time } from './formatting.js';
import { type Action, type Page, type PageActions } from './page.js';

const EVERY_MS = 5000;
/** Shorter waits need no words. */
const SLOW_MS = 400;

/** What a frame shows, and for whom. */
export interface FrameOptions<Session> {
  /** Its name, in the title and above the sign-in. */
  readonly name: string;
  /** In the order of the navigation. The first is where one begins. */
  readonly pages: readonly Page[];
  /** What to sign in with. */
  readonly keyHint: string | TemplateResult;
  /** Where one is, and who one is: above every page. */
  readonly place: (session: Session) => string;
  readonly person: (session: Session) => TemplateResult;
  readonly search: { readonly label: string; readonly placeholder: string; readonly path: string };
  readonly consoleUrl?: (session: Session) => string | undefined;
  /** Whether the person may do what is for a role. Default: everything. */
  readonly may?: (session: Session, role: 'act' | 'admin') => boolean;
  /** Whether the person signed in here, and can sign out. Default: yes. */
  readonly canSignOut?: (session: Session) => boolean;
  /** What answers with problems to show above every page, and the page that says more of them. Default: none. */
  readonly problems?: { readonly read: string; readonly page: string };
}

class Frame<Session> implements PageActions {
  readonly #options: FrameOptions<Session>;
  #session: Session | undefined;
  #found: { readonly page: Page; readonly params: Params } | undefined;
  #answer: unknown;
  #etag: string | null = null;
  /** When the server last said how things are. */
  #readAt = 0;
  #problem: ApiError | undefined;
  /** Above every page. */
  #problems: readonly string[] = [];
  #problemsReadAt = 0;
  #isSlow = false;
  /** What the last action came to. */
  #said = '';
  #failed = '';
  kept: unknown;

  constructor(options: FrameOptions<Session>) {
    this.#options = options;
  }

  may(role: 'act' | 'admin'): boolean {
    return this.#session !== undefined && (this.#options.may?.(this.#session, role) ?? true);
  }

  get consoleUrl(): string | undefined {
    return this.#session && this.#options.consoleUrl?.(this.#session);
  }

  #reading = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Settled when the person has signed in again, or does not want to. */
  #signingIn: Promise<void> | undefined;

  async start(): Promise<void> {
    addEventListener('hashchange', () => void this.#open());
    addEventListener('online', () => void this.#refresh());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.#refresh();
      else this.#stop();
    });
    try {
      this.#session = (await read<Session | null>('session'))?.answer ?? undefined;
    } catch (error) {
      this.#problem = toApiError(error);
    }
    await this.#open({ isFirst: true });
  }

  async act(action: Action): Promise<void> {
    const sendIt = async (asked: object = {}): Promise<void> => {
      const requests = 'each' in action ? action.each : [action];
      for (const [done, { path, body }] of requests.entries()) {
        const answer = await this.#sendSignedIn(path, { ...body, ...asked }).catch(
          (error: unknown) => {
            const { status, code, message, requestId } = toApiError(error);
            const before = done > 0 ? `${String(done)} of ${String(requests.length)} done. ` : '';
            throw new ApiError(status, code, `${before}${message}`, requestId);
          },
        );
        if (action.isKept) this.kept = answer;
      }
      this.#said = action.done;
      this.#failed = '';
      await this.#refresh();
    };
    if (action.ask) {
      askFirst(action.ask, sendIt);
      return;
    }
    try {
      await sendIt();
    } catch (error) {
      this.#said = '';
      this.#failed = toApiError(error).message;
      this.#draw();
      await this.#refresh();
    }
  }

  say(done: string): void {
    this.#said = done;
    this.#failed = '';
    this.#draw();
  }

  /** If the session has expired, nothing is lost: the action continues after the next sign-in. */
  async #sendSignedIn(path: string, body: unknown): Promise<unknown> {
    try {
      return await send(path, body);
    } catch (error) {
      if (toApiError(error).status !== 401) throw error;
      await this.#signInAgain();
      return send(path, body);
    }
  }

  #signInAgain(): Promise<void> {
    this.#signingIn ??= askForKey(this.#options.keyHint, (key) => this.#startSession(key)).finally(
      () => {
        this.#signingIn = undefined;
      },
    );
    return this.#signingIn;
  }

  async #startSession(key: string): Promise<void> {
    this.#session = await send<Session>('session', { key });
    this.#problem = undefined;
    void this.#refresh();
  }

  async #open({ isFirst = false } = {}): Promise<void> {
    this.#stop();
    this.#found = findPage(location.hash, this.#options.pages);
    this.#answer = undefined;
    this.#etag = null;
    if (!isFirst) this.#problem = undefined;
    this.#said = '';
    this.#failed = '';
    this.kept = undefined;
    const title = this.#found?.page.title(this.#found.params) ?? 'Not found';
    document.title = `${this.#session ? title : 'Sign in'} · ${this.#options.name}`;
    this.#draw();
    // As after a link to another document: what was read out before is gone.
    if (!isFirst) document.querySelector('h1')?.focus();
    await this.#refresh();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#reading.abort();
  }

  /** Reads the page now, and again after a pause while it is seen. */
  async #refresh(): Promise<void> {
    this.#stop();
    const question = this.#found?.page.read(this.#found.params);
    if (!this.#session || question === undefined) {
      this.#draw();
      return;
    }
    const reading = new AbortController();
    this.#reading = reading;
    const slow = setTimeout(() => {
      this.#isSlow = true;
      this.#draw();
    }, SLOW_MS);
    try {
      const [fresh] = await Promise.all([
        read(question, { signal: reading.signal, etag: this.#etag }),
        this.#readProblems(),
      ]);
      if (reading.signal.aborted) return;
      if (fresh) ({ answer: this.#answer, etag: this.#etag } = fresh);
      this.#readAt = Date.now();
      this.#problem = undefined;
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#problem = toApiError(error);
      // What waits for it says so; here no one does.
      if (this.#problem.status === 401) this.#signInAgain().catch(() => undefined);
    } finally {
      clearTimeout(slow);
    }
    this.#isSlow = false;
    this.#draw();
    const everyMs = (this.#found?.page.everySeconds ?? EVERY_MS / 1000) * 1000;
    if (document.visibilityState === 'visible' && this.#problem?.status !== 401) {
      this.#timer = setTimeout(() => void this.#refresh(), everyMs);
    }
  }

  /** Where they cannot be read, the page says why. */
  async #readProblems(): Promise<void> {
    const { problems } = this.#options;
    if (!problems || Date.now() - this.#problemsReadAt < EVERY_MS) return;
    this.#problemsReadAt = Date.now();
    const found = await read<readonly string[]>(problems.read).catch(() => undefined);
    if (found) this.#problems = found.answer;
  }

  async #leave(): Promise<void> {
    try {
      await signOut();
    } catch (error) {
      this.#failed = toApiError(error).message;
      this.#draw();
      return;
    }
    this.#session = undefined;
    await this.#open();
  }

  #draw(): void {
    render(this.#session ? this.#frame(this.#session) : this.#signInPage(), document.body);
  }

  #signInPage(): TemplateResult {
    if (this.#problem) {
      return html`<main class="container">
        <h1 tabindex="-1">${this.#options.name}</h1>
        <article class="is-bad" role="alert">${this.#problem.message}</article>
        <button @click=${() => location.reload()}>Try again</button>
      </main>`;
    }
    return html`<main class="container">
      <h1 tabindex="-1">Sign in</h1>
      ${signInForm(this.#options.keyHint, async (key) => {
        await this.#startSession(key);
        await this.#open();
      })}
    </main>`;
  }

  #frame(session: Session): TemplateResult {
    const { pages, place, person, search: wanted } = this.#options;
    const search = (event: SubmitEvent): void => {
      event.preventDefault();
      const input = (event.target as HTMLFormElement).elements.namedItem('q') as HTMLInputElement;
      if (input.value.trim() !== '') location.hash = linkTo(wanted.path, { q: input.value.trim() });
    };
    return html`${renderSkipLink()}
      <header class="container">
        <nav>
          <ul>
            <li><strong>Pay Checkout</strong> <small>${place(session)}</small></li>
          </ul>
          <ul>
            <li>${person(session)}</li>
            ${
              this.#options.canSignOut?.(session) === false
                ? nothing
                : html`<li>
                    <button class="secondary outline" @click=${() => this.#leave()}>
                      Sign out
                    </button>
                  </li>`
            }
          </ul>
        </nav>
        <form role="search" @submit=${search}>
          <input
            name="q"
            type="search"
            aria-label=${wanted.label}
            placeholder=${wanted.placeholder}
            autocomplete="off"
            maxlength="200"
          />
          <button>Search</button>
        </form>
        ${renderNavigation('Pages', pages, this.#found?.page.path)}
      </header>
      ${this.#renderProblems()}
      <main id="main" class="container" tabindex="-1">${this.#content()}</main>`;
  }

  #renderProblems(): TemplateResult | typeof nothing {
    const page = this.#options.problems?.page;
    if (this.#problems.length === 0 || page === undefined) return nothing;
    return html`<aside class="container" aria-label="Problems of the servers">
      <article class="is-bad" role="alert">
        ${this.#problems.map((problem) => html`<p>${problem}</p>`)}
        <a href=${linkTo(page)}>Look at the servers</a>
      </article>
    </aside>`;
  }

  #content(): TemplateResult {
    if (!this.#found) {
      return html`<h1 tabindex="-1">Not found</h1>
        <p>There is no such page. <a href="#/">Go to the overview</a>.</p>`;
    }
    const { page, params } = this.#found;
    const isNeeded = page.read(params) !== undefined;
    return html`<h1 tabindex="-1">${page.title(params)}</h1>
      <p role="status"><ins>${this.#said}</ins></p>
      ${this.#failed && html`<article class="is-bad" role="alert">${this.#failed}</article>`}
      ${this.#problem ? this.#renderProblem(this.#problem) : nothing}
      ${
        isNeeded && this.#answer === undefined
          ? this.#problem
            ? nothing
            : html`<p role="status">${this.#isSlow ? 'Reading …' : ''}</p>`
          : page.draw(this.#answer, params, this)
      }`;
  }

  #renderProblem({ message, status, requestId }: ApiError): TemplateResult {
    const isShown = this.#answer !== undefined;
    return html`<article class="is-bad" role="alert">
      <p>
        ${message} ${isShown ? html`What is shown is from ${time(this.#readAt)}.` : nothing}
        ${requestId && status >= 500 ? html`Request <code>${requestId}</code>.` : nothing}
      </p>
      <button class="outline" @click=${() => this.#refresh()}>
        ${status === 401 ? 'Sign in again' : 'Try again'}
      </button>
    </article>`;
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/** Shows the frame in the document, from now on. */
export function startFrame<Session>(options: FrameOptions<Session>): Promise<void> {
  return new Frame(options).start();
}
