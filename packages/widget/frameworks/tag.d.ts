import type { PayCheckout } from '../dist/index.js';

/** What code can set on the tag, as `custom-elements.json` lists it. */
export type Properties = Partial<
  Pick<
    PayCheckout,
    | 'merchant'
    | 'order'
    | 'orderToken'
    | 'server'
    | 'mode'
    | 'autostart'
    | 'locale'
    | 'theme'
    | 'returnParam'
    | 'createSession'
    | 'adapter'
    | 'labels'
  >
>;

/** What markup can set on the tag, in addition to what every element has. */
export type Attributes = Omit<
  Properties,
  'orderToken' | 'returnParam' | 'createSession' | 'adapter' | 'labels'
> & {
  'order-token'?: PayCheckout['orderToken'];
  'return-param'?: PayCheckout['returnParam'];
};

type Events = GlobalEventHandlersEventMap;

/** Listeners for the tag's events, each with `Prefix` before the event's name. */
export type Listeners<Prefix extends string> = {
  [Name in keyof Events as Name extends `pay-${string}` ? `${Prefix}${Name}` : never]?:
    | ((event: Events[Name] & { currentTarget: PayCheckout }) => unknown)
    | undefined;
};
