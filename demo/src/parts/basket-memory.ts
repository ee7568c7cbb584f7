/** Keeps the basket in this browser, and tells the page (and other tabs) when it changes. */
import { EMPTY_BASKET, parseBasket, type Basket } from '../../shared/basket.js';

const KEY = 'hollin-and-slip.basket';
const listeners = new Set<(basket: Basket) => void>();

// Storage can be switched off or full; the basket then lasts as long as the page.
let memory: Basket | undefined;

export function readBasket(): Basket {
  if (memory !== undefined) return memory;
  try {
    return parseBasket(localStorage.getItem(KEY));
  } catch {
    return EMPTY_BASKET;
  }
}

export function saveBasket(basket: Basket): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(basket));
    memory = undefined;
  } catch {
    memory = basket;
  }
  tell(basket);
}

/** Empties the basket if this order was made of it: what was added since stays. */
export function emptyBasketOf(order: string): void {
  if (readBasket().order === order) saveBasket(EMPTY_BASKET);
}

/** Calls back now and after every change. */
export function watchBasket(listener: (basket: Basket) => void): void {
  listeners.add(listener);
  listener(readBasket());
}

function tell(basket: Basket): void {
  for (const listener of listeners) listener(basket);
}

addEventListener('storage', (event) => {
  if (event.key === KEY) tell(readBasket());
});
// A page that comes back from the back/forward cache has missed what the next page did.
addEventListener('pageshow', (event) => {
  if (event.persisted) tell(readBasket());
});
