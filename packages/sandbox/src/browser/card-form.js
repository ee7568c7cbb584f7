/** The card form: checks the fields, pays once, shows the outcome. */
import { followHeight, postJson, postToParent, wireLeaving } from './frame-messages.js';

const FIELDS = /** @type {const} */ (['number', 'expiry', 'securityCode', 'name']);
/** @typedef {typeof FIELDS[number]} FieldName */

const form = element('card-form', HTMLFormElement);
const pay = element('pay', HTMLButtonElement);
const wallet = element('wallet', HTMLButtonElement);
const payLabel = pay.textContent ?? '';
const status = element('status', HTMLElement);
const alert = element('alert', HTMLElement);
const {
  payUrl = '',
  challengeUrl = '',
  testCards = '',
  texts: said = '',
  answers = '',
} = form.dataset;
/** @type {Record<string, string>} */
const texts = JSON.parse(said);
/** @type {Record<string, string>} What the sandbox answers, by its English sentence. */
const answerTexts = JSON.parse(answers);
const knownNumbers = testCards.split(' ');
let isPaying = false;

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);
  return found;
}

/** @param {FieldName} name */
const input = (name) => element(name, HTMLInputElement);

/** @param {FieldName} name @returns {string | undefined} The mistake in a field. */
function findMistake(name) {
  const value = input(name).value.trim();
  switch (name) {
    case 'number':
      if (value === '') return texts['numberMissing'];
      // Checked here first, so that the number of a real card never leaves the browser.
      return knownNumbers.includes(digitsOf(value)) ? undefined : texts['numberUnknown'];
    case 'expiry':
      return /^(0[1-9]|1[0-2])\s*\/\s*\d{2}$/.test(value) ? undefined : texts['expiryWrong'];
    case 'securityCode':
      return /^\d{3,4}$/.test(value) ? undefined : texts['securityCodeWrong'];
    case 'name':
      return value === '' ? texts['nameMissing'] : undefined;
  }
}

/** @param {string} text */
function digitsOf(text) {
  return text.replace(/\D/g, '');
}

/** @param {FieldName} name @param {string | undefined} message */
function showMistake(name, message) {
  const error = element(`${name}-error`, HTMLElement);
  error.textContent = message ?? '';
  error.hidden = message === undefined;
  if (message === undefined) input(name).removeAttribute('aria-invalid');
  else input(name).setAttribute('aria-invalid', 'true');
}

/** @param {Partial<Record<FieldName, string>>} mistakes @returns {boolean} Whether there are none. */
function showMistakes(mistakes) {
  for (const name of FIELDS) showMistake(name, mistakes[name]);
  const first = FIELDS.find((name) => mistakes[name] !== undefined);
  if (first !== undefined) input(first).focus();
  return first === undefined;
}

/** @param {string} message */
function showAlert(message) {
  alert.textContent = message;
  alert.hidden = message === '';
}

/** @param {boolean} busy */
function setBusy(busy) {
  isPaying = busy;
  pay.disabled = busy;
  wallet.disabled = busy;
  pay.textContent = busy ? (texts['paying'] ?? '') : payLabel;
  form.setAttribute('aria-busy', String(busy));
  for (const button of document.querySelectorAll('button[data-leave], button[data-card]')) {
    if (button instanceof HTMLButtonElement) button.disabled = busy;
  }
  status.textContent = busy ? (texts['wait'] ?? '') : '';
}

function submit() {
  if (isPaying) return;
  showAlert('');
  if (!showMistakes(Object.fromEntries(FIELDS.map((name) => [name, findMistake(name)])))) return;
  void send(Object.fromEntries(FIELDS.map((name) => [name, input(name).value])));
}

/** A wallet opens only where every page around this one allows payments, and from a press. */
function payByWallet() {
  if (isPaying) return;
  const { featurePolicy } =
    /** @type {{ featurePolicy?: { allowsFeature(name: string): boolean } }} */ (
      /** @type {unknown} */ (document)
    );
  const isForbidden = featurePolicy?.allowsFeature('payment') === false;
  const isInactive = navigator.userActivation?.isActive === false;
  const obstacle = isForbidden ? 'walletForbidden' : isInactive ? 'walletInactive' : undefined;
  showAlert(obstacle === undefined ? '' : (texts[obstacle] ?? ''));
  if (obstacle === undefined) void send({ wallet: true });
}

/** @param {object} payment What the card form or a wallet gives. */
async function send(payment) {
  setBusy(true);
  postToParent('submitted');
  try {
    const { status: code, answer } = await postJson(payUrl, payment);
    if (code === 422) return refuse(answer.errors);
    if (code !== 200) return location.reload();
    follow(answer);
  } catch {
    setBusy(false);
    showAlert(texts['unreachable'] ?? '');
    pay.focus();
  }
}

/** @param {string} sentence @returns {string} */
function translate(sentence) {
  return answerTexts[sentence] ?? sentence;
}

/** @param {{ field: FieldName, message: string }[]} errors */
function refuse(errors) {
  setBusy(false);
  showMistakes(Object.fromEntries(errors.map(({ field, message }) => [field, translate(message)])));
}

/** @param {{ outcome: string, message?: string, redirectUrl?: string }} answer */
function follow(answer) {
  switch (answer.outcome) {
    case 'declined':
      setBusy(false);
      showAlert(translate(answer.message ?? ''));
      postToParent('declined', { message: answer.message });
      input('number').focus();
      input('number').select();
      return;
    case 'challenge':
      return location.replace(challengeUrl);
    case 'approved':
      status.textContent = texts['approved'] ?? '';
      if (answer.redirectUrl !== undefined) return location.replace(answer.redirectUrl);
      return location.reload();
    default:
      if (answer.redirectUrl !== undefined) return location.replace(answer.redirectUrl);
      return location.reload();
  }
}

/** Groups the digits in fours, and keeps the caret in place. */
function formatNumber() {
  const field = input('number');
  const digitsBefore = digitsOf(field.value.slice(0, field.selectionStart ?? 0)).length;
  const digits = digitsOf(field.value).slice(0, 19);
  field.value = digits.replace(/(\d{4})(?=\d)/g, '$1 ');
  const caret = digitsBefore + Math.max(0, Math.ceil(digitsBefore / 4) - 1);
  field.setSelectionRange(caret, caret);
}

/** Writes the slash after the month, except while deleting. @param {Event} event */
function formatExpiry(event) {
  if (event instanceof InputEvent && event.inputType.startsWith('delete')) return;
  const field = input('expiry');
  const digits = digitsOf(field.value).slice(0, 4);
  field.value = digits.length >= 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits;
}

/** @param {HTMLButtonElement} button */
function fillIn(button) {
  const nextYear = String(new Date().getFullYear() + 2).slice(-2);
  input('number').value = button.dataset['card'] ?? '';
  formatNumber();
  input('expiry').value = `12/${nextYear}`;
  input('securityCode').value = '123';
  if (input('name').value === '') input('name').value = 'Robin Sample';
  showAlert('');
  showMistakes({});
  status.textContent = `Filled in: ${button.querySelector('strong')?.textContent ?? ''}.`;
  pay.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
wallet.addEventListener('click', payByWallet);
input('number').addEventListener('input', formatNumber);
input('expiry').addEventListener('input', formatExpiry);
for (const name of FIELDS) {
  input(name).addEventListener('input', () => showMistake(name, undefined));
  input(name).addEventListener('blur', () => {
    if (input(name).value !== '') showMistake(name, findMistake(name));
  });
}
for (const button of document.querySelectorAll('button[data-card]')) {
  if (button instanceof HTMLButtonElement) button.addEventListener('click', () => fillIn(button));
}
// A page restored from the browser's cache must not stay busy.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
const refusal = alert.dataset['message'];
if (refusal !== undefined) showAlert(refusal);
wireLeaving();
setBusy(false);
followHeight();
postToParent('ready');
