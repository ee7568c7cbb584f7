/** The link in the header that counts what is in the basket. Every page imports it. */
import { brand } from './brand.js';
import { find } from '../../shared/pages/find.js';
import { countItems, watchBasket } from './basket.js';

const link = find(document, '[data-basket-link]', HTMLElement);

watchBasket((basket) => {
  const count = countItems(basket);
  const badge = document.createElement('span');
  badge.className = 'count';
  badge.textContent = String(count);
  link.replaceChildren(brand.words.basket, ...(count > 0 ? [' ', badge] : []));
  if (count === 0) link.removeAttribute('aria-label');
  else link.setAttribute('aria-label', brand.words.basketOf(count));
});
