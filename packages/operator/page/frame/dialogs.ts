/** What asks the person for something: a key, or a note. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { ApiError } from './api.js';
import { fieldsOf } from './filter.js';
import type { Action } from './page.js';

type Submit = (text: string) => Promise<void>;

/** What was typed, by the names of the fields; not those that were left empty. */
type Typed = Readonly<Record<string, string>>;

/** A form that stays as it is until it was sent well; what went wrong is said in it. */
async function submitForm(
  event: SubmitEvent,
  submit: (typed: Typed) => Promise<void>,
): Promise<void> {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const input = form.querySelector<HTMLInputElement>('input, textarea');
  const problem = form.querySelector('[role=alert]');
  const button = form.querySelector('button');
  if (!problem || button?.ariaDisabled === 'true') return;
  problem.textContent = '';
  // Not `disabled`: that would throw the focus away.
  button?.setAttribute('aria-disabled', 'true');
  try {
    const given = Object.entries(fieldsOf(form)).filter(([, value]) => value);
    await submit(Object.fromEntries(given) as Typed);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.textContent = error.message;
    input?.focus();
  } finally {
    button?.removeAttribute('aria-disabled');
  }
}

export function signInForm(hint: string | TemplateResult, submit: Submit): TemplateResult {
  const signIn = ({ key = '' }: Typed): Promise<void> => submit(key);
  return html`<form @submit=${(event: SubmitEvent) => submitForm(event, signIn)}>
    <p>${hint} It is sent once, and not kept.</p>
    <label for="key">Key</label>
    <input
      id="key"
      name="key"
      type="password"
      required
      autocomplete="current-password"
      aria-describedby="key-error"
      spellcheck="false"
    />
    <p class="is-bad" id="key-error" role="alert"></p>
    <button>Sign in</button>
  </form>`;
}

/** Over the page, which stays. It is removed when it is closed. */
function openDialog(title: string, draw: (dialog: HTMLDialogElement) => TemplateResult) {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = title;
  dialog.addEventListener('close', () => dialog.remove());
  document.documentElement.append(dialog);
  render(
    html`<article>
      <h2>${title}</h2>
      ${draw(dialog)}
    </article>`,
    dialog,
  );
  dialog.showModal();
  return dialog;
}

/** Asks to sign in again. Resolves once the person has; rejects when they close it. */
export function askForKey(hint: string | TemplateResult, submit: Submit): Promise<void> {
  const signedIn = Promise.withResolvers<void>();
  const dialog = openDialog('Your session has ended', (opened) =>
    signInForm(hint, async (key) => {
      await submit(key);
      signedIn.resolve();
      opened.close();
    }),
  );
  dialog.addEventListener('close', () => {
    signedIn.reject(new ApiError(401, 'signed_out', 'You are signed out.'));
  });
  return signedIn.promise;
}

/** Asks before something is done, and for a note where one belongs to it. What was typed stays until it is done. */
export function askFirst(
  { title, text, button, note, hasPerson }: NonNullable<Action['ask']>,
  submit: (typed: Typed) => Promise<void>,
): void {
  openDialog(title, (dialog) => {
    const send = async (typed: Typed): Promise<void> => {
      await submit(typed);
      dialog.close();
    };
    return html`<form @submit=${(event: SubmitEvent) => submitForm(event, send)}>
      <p>${text}</p>
      ${note === undefined ? nothing : renderNote(note === 'required')}
      ${
        hasPerson
          ? html`<label for="person">For (optional)</label>
              <input id="person" name="for" maxlength="100" autocomplete="off" />`
          : nothing
      }
      <p class="is-bad" id="note-error" role="alert"></p>
      <button>${button}</button>
      <button type="button" class="secondary outline" @click=${() => dialog.close()}>Cancel</button>
    </form>`;
  });
}

function renderNote(isRequired: boolean): TemplateResult {
  return html`<label for="note">Note${isRequired ? '' : ' (optional)'}</label>
    <textarea
      id="note"
      name="note"
      rows="3"
      maxlength="500"
      ?required=${isRequired}
      aria-describedby="note-error note-hint"
    ></textarea>
    <small id="note-hint"
      >It stays in the audit trail: no names of customers, no card numbers.</small
    >`;
}
