/** The checkout: who and where; our back end checks it, prices it and gives the order a number. */
import { render } from 'lit';
import { find } from '../../shared/pages/find.js';
import { findFormProblems, readForm, showFormProblems } from '../../shared/pages/form-problems.js';
import { priceBasket } from '../catalogue.js';
import { brand } from './brand.js';
import { readBasket, saveBasket, watchBasket } from './basket.js';
import { renderSummary } from './order-summary.js';
import { placeOrder, ShopApiError } from './shop-api.js';
import './basket-link.js';

const { words } = brand;
const form = find(document, '#details', HTMLFormElement);
const button = find(form, 'button[type=submit]', HTMLButtonElement);
let isSending = false;

watchBasket((basket) => {
  const isEmpty = basket.items.length === 0;
  find(document, '[data-checkout]', HTMLElement).hidden = isEmpty;
  find(document, '[data-empty]', HTMLElement).hidden = !isEmpty;
  render(renderSummary(priceBasket(brand, basket.items)), find(document, '#summary', HTMLElement));
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});

async function submit(): Promise<void> {
  if (isSending) return;
  const problems = findFormProblems(form, words);
  showFormProblems(form, problems, words);
  if (problems.length > 0) return;

  setSending(true);
  try {
    const { items } = readBasket();
    const { order } = await placeOrder({ items, ...readForm(form) });
    saveBasket({ items, order });
    location.assign(`/pay?order=${encodeURIComponent(order)}`);
  } catch (error) {
    setSending(false);
    showFormProblems(form, toProblems(error), words);
  }
}

function toProblems(error: unknown): { field: string; message: string }[] {
  if (error instanceof ShopApiError) {
    const { errors } = error.problem;
    return errors ? [...errors] : [{ field: '', message: words.failed }];
  }
  return [{ field: '', message: words.pressAgain }];
}

function setSending(value: boolean): void {
  isSending = value;
  // Not `disabled`: that would throw the focus away.
  button.setAttribute('aria-disabled', String(value));
  button.textContent = value ? words.oneMoment : words.continueToPayment;
}

addEventListener('pageshow', () => {
  setSending(false);
});
