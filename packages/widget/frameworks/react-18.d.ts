import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PayCheckout } from '../dist/index.js';
import type { Attributes, Listeners } from './tag.js';

/** React 18 sets attributes of a tag as text, no properties, and attaches no listeners. */
type Text = Omit<Attributes, 'autostart'> & { autostart?: ''; class?: string } & {
  [Name in keyof Listeners<'on'>]?: never;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': DetailedHTMLProps<HTMLAttributes<PayCheckout>, PayCheckout> & Text;
    }
  }
}
