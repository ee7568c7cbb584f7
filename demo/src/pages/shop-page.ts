/** The shelf: the products are in the HTML; this makes their buttons work. */
import { findProduct, MAX_QUANTITY } from '../../shared/catalogue.js';
import { quantityOf, withQuantity } from '../../shared/basket.js';
import { startBasketLink } from '../parts/basket-link.js';
import { readBasket, saveBasket } from '../parts/basket-memory.js';
import { say } from '../parts/say.js';

startBasketLink();

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
