import type { JSX } from 'solid-js';
import type { PayCheckout } from '../dist/index.js';
import type { Attributes, Listeners, Properties } from './tag.js';

type Prefixed = { [Name in keyof Properties as `prop:${Name}`]: Properties[Name] };

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': JSX.HTMLAttributes<PayCheckout> &
        Attributes &
        Properties &
        Prefixed &
        Listeners<'on:'>;
    }
  }
}
