import type { DefineComponent, HTMLAttributes } from 'vue';
import type { Attributes, Listeners, Properties } from './tag.js';

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
/** `@pay-paid` of a template is the property `onPayPaid`. */
type VueListeners = {
  [Name in keyof Listeners<'on-'> as Camel<Name>]: Listeners<'on-'>[Name];
};

declare module 'vue' {
  interface GlobalComponents {
    'pay-checkout': DefineComponent<HTMLAttributes & Attributes & Properties & VueListeners>;
  }
}
