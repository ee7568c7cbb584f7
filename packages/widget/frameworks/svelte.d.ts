import type { HTMLAttributes } from 'svelte/elements';
import type { PayCheckout } from '../dist/index.js';
import type { Attributes, Listeners, Properties } from './tag.js';

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pay-checkout': HTMLAttributes<PayCheckout> & Attributes & Properties & Listeners<'on'>;
  }
}
