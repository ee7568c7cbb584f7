/** A page with nothing of its own to do. */
import { startBasketLink } from '../parts/basket-link.js';

startBasketLink();
