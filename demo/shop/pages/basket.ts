/** What a browser remembers of a basket, read with care: anyone can write to local storage. */
import { findProduct, MAX_QUANTITY, type OrderItem } from '../catalogue.js';
import { brand } from './brand.js';

/** A basket, and the order that was made of it, if one was. */
export interface Basket {
  readonly items: readonly OrderItem[];
  /** The order placed with exactly these items; gone as soon as the basket changes. */
  readonly order?: string;
}

export const EMPTY_BASKET: Basket = { items: [] };

/** The basket in this text; whatever makes no sense is left out. */
export function parseBasket(text: string | null): Basket {
  const value = parseJson(text);
  if (!isRecord(value) || !Array.isArray(value['items'])) return EMPTY_BASKET;
  const seen = new Set<string>();
  const items = value['items'].flatMap((item: unknown): OrderItem[] => {
    if (!isRecord(item)) return [];
    const { sku, quantity } = item;
    if (typeof sku !== 'string' || findProduct(brand, sku) === undefined || seen.has(sku))
      return [];
    if (!Number.isInteger(quantity) || Number(quantity) < 1) return [];
    seen.add(sku);
    return [{ sku, quantity: Math.min(Number(quantity), MAX_QUANTITY) }];
  });
  const { order } = value;
  return { items, ...(typeof order === 'string' && /^[A-Z]\d{1,15}$/.test(order) && { order }) };
}

/** The basket with this much of a product; 0 takes it out. */
export function withQuantity(basket: Basket, sku: string, quantity: number): Basket {
  const wanted = Math.min(Math.max(quantity, 0), MAX_QUANTITY);
  const isKnown = basket.items.some((item) => item.sku === sku);
  const items = isKnown
    ? basket.items.map((item) => (item.sku === sku ? { sku, quantity: wanted } : item))
    : [...basket.items, { sku, quantity: wanted }];
  return { items: items.filter((item) => item.quantity > 0) };
}

/** How much of a product is in the basket. */
export function quantityOf(basket: Basket, sku: string): number {
  return basket.items.find((item) => item.sku === sku)?.quantity ?? 0;
}

/** How many things are in the basket. */
export function countItems(basket: Basket): number {
  return basket.items.reduce((sum, item) => sum + item.quantity, 0);
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const KEY = `${brand.id}.basket`;
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
  notify(basket);
}

/** Empties the basket if this order was made of it: what was added since stays. */
export function emptyBasketOf(order: string): void {
  if (readBasket().order === order) saveBasket(EMPTY_BASKET);
}

/** Calls back now and after every change. */
export function watchBasket(listener: (basket: Basket) => void): void {
  if (listeners.size === 0) watchOtherPages();
  listeners.add(listener);
  listener(readBasket());
}

function notify(basket: Basket): void {
  for (const listener of listeners) listener(basket);
}

function watchOtherPages(): void {
  addEventListener('storage', (event) => {
    if (event.key === KEY) notify(readBasket());
  });
  // A page that comes back from the back/forward cache has missed what the next page did.
  addEventListener('pageshow', (event) => {
    if (event.persisted) notify(readBasket());
  });
}
