/** The link in the header that counts what is in the basket. */
import { countItems } from '../../shared/basket.js';
import { watchBasket } from './basket-memory.js';
import { find } from './find.js';

export function startBasketLink(): void {
  const link = find(document, '[data-basket-link]', HTMLElement);
  watchBasket((basket) => {
    const count = countItems(basket);
    const badge = document.createElement('span');
    badge.className = 'count';
    badge.textContent = String(count);
    link.replaceChildren('Basket', ...(count > 0 ? [' ', badge] : []));
    if (count === 0) link.removeAttribute('aria-label');
    else link.setAttribute('aria-label', `Basket ${count} ${count === 1 ? 'item' : 'items'}`);
  });
}
