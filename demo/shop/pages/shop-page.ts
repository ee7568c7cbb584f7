/** The shelf: the products are in the HTML; this makes their buttons work. */
import { findProduct, MAX_QUANTITY } from '../catalogue.js';
import { quantityOf, withQuantity, readBasket, saveBasket } from './basket.js';
import './basket-link.js';

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const sku = event.target.closest<HTMLElement>('[data-add]')?.dataset['add'];
  const product = sku === undefined ? undefined : findProduct(sku);
  if (product !== undefined) addToBasket(product.sku, product.name);
});

function addToBasket(sku: string, name: string): void {
  const basket = readBasket();
  const quantity = quantityOf(basket, sku) + 1;
  if (quantity > MAX_QUANTITY) {
    say(`${MAX_QUANTITY} of one thing is all that we can pack.`);
    return;
  }
  saveBasket(withQuantity(basket, sku, quantity));
  say(quantity === 1 ? `${name} is in your basket.` : `${name}: now ${quantity} in your basket.`);
}

const VISIBLE_MS = 4000;

let timer: ReturnType<typeof setTimeout> | undefined;
const toast = document.createElement('div');
toast.className = 'toast';
toast.setAttribute('role', 'status');
document.body.append(toast);

export function say(words: string): void {
  const link = document.createElement('a');
  link.href = '/basket';
  link.textContent = 'See the basket';
  toast.replaceChildren(words, ' ', link);
  toast.classList.add('is-shown');
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.classList.remove('is-shown');
  }, VISIBLE_MS);
}
