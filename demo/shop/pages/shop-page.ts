/** The shelf: the products are in the HTML; this makes their buttons work. */
import { findProduct, MAX_QUANTITY } from '../catalogue.js';
import { brand } from './brand.js';
import { quantityOf, withQuantity, readBasket, saveBasket } from './basket.js';
import './basket-link.js';

const { words } = brand;

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const sku = event.target.closest<HTMLElement>('[data-add]')?.dataset['add'];
  const product = sku === undefined ? undefined : findProduct(brand, sku);
  if (product !== undefined) addToBasket(product.sku, product.name);
});

function addToBasket(sku: string, name: string): void {
  const basket = readBasket();
  const quantity = quantityOf(basket, sku) + 1;
  if (quantity > MAX_QUANTITY) {
    say(words.tooMany(MAX_QUANTITY));
    return;
  }
  saveBasket(withQuantity(basket, sku, quantity));
  say(words.isInBasket(name, quantity));
}

const VISIBLE_MS = 4000;

let timer: ReturnType<typeof setTimeout> | undefined;
const toast = document.createElement('div');
toast.className = 'toast';
toast.setAttribute('role', 'status');
document.body.append(toast);

export function say(message: string): void {
  const link = document.createElement('a');
  link.href = '/basket';
  link.textContent = words.seeBasket;
  toast.replaceChildren(message, ' ', link);
  toast.classList.add('is-shown');
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.classList.remove('is-shown');
  }, VISIBLE_MS);
}
