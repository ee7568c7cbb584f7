/** The 3-D Secure page: sends the code, or waits for the answer that is given elsewhere, and follows it. */
import { followHeight, postJson, postToParent } from './frame-messages.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('challenge-form'));
const code = /** @type {HTMLInputElement | null} */ (document.getElementById('code'));
const error = document.getElementById('code-error');
const status = /** @type {HTMLElement} */ (document.getElementById('status'));
const cancel = /** @type {HTMLButtonElement} */ (document.getElementById('cancel'));
const { answerUrl = '', formUrl = '', texts: said = '' } = form.dataset;
/** @type {Record<'codeMissing' | 'checking' | 'waiting' | 'unreachable', string>} */
const texts = JSON.parse(said);

/** @param {string} message */
function showMistake(message) {
  if (code === null || error === null) {
    status.textContent = message;
    return;
  }
  error.textContent = message;
  error.hidden = message === '';
  if (message === '') code.removeAttribute('aria-invalid');
  else code.setAttribute('aria-invalid', 'true');
}

/** @param {{ code: string } | { cancel: true } | { wait: true }} body */
async function answer(body) {
  if (!('wait' in body)) setBusy(true);
  try {
    const { answer: outcome } = await postJson(answerUrl, body);
    if (outcome.outcome === 'approved' && outcome.redirectUrl !== undefined) {
      return location.replace(outcome.redirectUrl);
    }
    if (outcome.outcome === 'declined') postToParent('declined', { message: outcome.message });
    location.replace(formUrl);
  } catch {
    setBusy(false);
    showMistake(texts.unreachable);
    code?.focus();
  }
}

/** @param {boolean} busy */
function setBusy(busy) {
  for (const button of form.querySelectorAll('button')) button.disabled = busy;
  status.textContent = busy ? texts.checking : '';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (code === null) return;
  if (code.value.trim() === '') {
    showMistake(texts.codeMissing);
    code.focus();
    return;
  }
  void answer({ code: code.value.trim() });
});
code?.addEventListener('input', () => showMistake(''));
cancel.addEventListener('click', () => void answer({ cancel: true }));
setBusy(false);
followHeight();
postToParent('ready');
code?.focus();
if (code === null) {
  status.textContent = texts.waiting;
  void answer({ wait: true });
}
