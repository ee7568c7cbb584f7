import { healthPage } from './health-page.js';
import type { Page } from './page.js';

/** Every page, in the order of the navigation. */
export const PAGES: readonly Page[] = [healthPage];
