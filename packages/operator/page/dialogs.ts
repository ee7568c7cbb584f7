/** What asks the person for something: a key, or a note. */
import { html, render, type TemplateResult } from 'lit';
import { ApiError } from './api.js';
import type { Action } from './page.js';

type Submit = (text: string) => Promise<void>;

/** A form that stays as it is until it was sent well; what went wrong is said in it. */
async function submitForm(event: SubmitEvent, field: string, submit: Submit): Promise<boolean> {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const input = form.elements.namedItem(field) as HTMLInputElement | HTMLTextAreaElement;
  const problem = form.querySelector('.field-error');
  const button = form.querySelector('button[type=submit]');
  if (!problem || button?.getAttribute('aria-disabled') === 'true') return false;
  problem.textContent = '';
  // Not `disabled`: that would throw the focus away.
  button?.setAttribute('aria-disabled', 'true');
  try {
    await submit(input.value.trim());
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.textContent = error.message;
    input.focus();
    return false;
  } finally {
    button?.removeAttribute('aria-disabled');
  }
}

export function signInForm(submit: Submit): TemplateResult {
  return html`<form @submit=${(event: SubmitEvent) => submitForm(event, 'key', submit)}>
    <p>
      Sign in with a key of the operator (<code>PAY_OPERATOR_KEY</code>). It is sent once, and not
      kept.
    </p>
    <div class="field">
      <label for="key">Key</label>
      <p class="field-error" id="key-error" role="alert"></p>
      <input
        id="key"
        name="key"
        type="password"
        required
        autocomplete="current-password"
        aria-describedby="key-error"
        spellcheck="false"
      />
    </div>
    <button class="button" type="submit">Sign in</button>
  </form>`;
}

/** Over the page, when the session has ended: the page, and what was typed in it, stays. */
export class SignInDialog {
  readonly #submit: Submit;
  readonly #dialog = document.createElement('dialog');
  #signedIn: PromiseWithResolvers<void> | undefined;

  constructor(submit: Submit) {
    this.#submit = submit;
    this.#dialog.setAttribute('aria-labelledby', 'sign-in-title');
  }

  /** Resolves once the person has signed in; rejects when they close it. */
  open(): Promise<void> {
    if (this.#signedIn) return this.#signedIn.promise;
    const signedIn = Promise.withResolvers<void>();
    this.#signedIn = signedIn;
    const done = (): void => {
      this.#signedIn = undefined;
      this.#dialog.remove();
      signedIn.reject(new ApiError(401, 'operator_signed_out', 'You are signed out.'));
    };
    // No one may wait for it.
    signedIn.promise.catch(() => undefined);
    this.#dialog.addEventListener('close', done, { once: true });
    document.documentElement.append(this.#dialog);
    const submit = async (key: string): Promise<void> => {
      await this.#submit(key);
      signedIn.resolve();
      this.#dialog.close();
    };
    render(
      html`<h2 id="sign-in-title">Your session has ended</h2>
        ${signInForm(submit)}`,
      this.#dialog,
    );
    this.#dialog.showModal();
    return signedIn.promise;
  }
}

/** Asks for a note before something is done. What was typed stays until it is done. */
export class NoteDialog {
  readonly #dialog = document.createElement('dialog');

  constructor() {
    this.#dialog.setAttribute('aria-labelledby', 'note-title');
  }

  open({ title, text, button, isRequired }: NonNullable<Action['note']>, submit: Submit): void {
    document.documentElement.append(this.#dialog);
    const close = (): void => this.#dialog.close();
    const onSubmit = async (event: SubmitEvent): Promise<void> => {
      if (await submitForm(event, 'note', submit)) close();
    };
    this.#dialog.addEventListener('close', () => this.#dialog.remove(), { once: true });
    render(
      html`<form @submit=${onSubmit}>
        <h2 id="note-title">${title}</h2>
        <p>${text}</p>
        <div class="field">
          <label for="note">Note${isRequired ? '' : ' (optional)'}</label>
          <p class="field-error" id="note-error" role="alert"></p>
          <textarea
            id="note"
            name="note"
            rows="3"
            maxlength="500"
            ?required=${isRequired}
            aria-describedby="note-error note-hint"
          ></textarea>
          <p class="hint" id="note-hint">It stays in the audit trail: no names, no card numbers.</p>
        </div>
        <p class="buttons">
          <button class="button" type="submit">${button}</button>
          <button class="button quiet" type="button" @click=${close}>Cancel</button>
        </p>
      </form>`,
      this.#dialog,
    );
    const input = this.#dialog.querySelector('textarea');
    if (input) input.value = '';
    this.#dialog.showModal();
  }
}
