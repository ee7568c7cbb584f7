import type { HTMLAttributes } from 'preact';
import type { PayCheckout } from '../dist/index.js';
import type { Attributes, Listeners, Properties } from './tag.js';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': HTMLAttributes<PayCheckout> & Attributes & Properties & Listeners<'on'>;
    }
  }
}
