import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PayCheckout } from '../dist/index.js';
import type { Attributes, Listeners, Properties } from './tag.js';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': DetailedHTMLProps<HTMLAttributes<PayCheckout>, PayCheckout> &
        Attributes &
        Properties &
        Listeners<'on'>;
    }
  }
}
