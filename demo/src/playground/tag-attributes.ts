/** The attributes of the tag that the settings ask for, in the order in which they are written. */
import type { Settings } from './settings.js';

/** The order that the tag is for. */
export interface TagOrder {
  readonly merchant: string;
  readonly order: string;
  readonly orderToken: string;
}

export type Attribute = readonly [name: string, value: string];

/** What is the default anyway is left out. */
export function attributesFor(
  settings: Settings,
  { merchant, order, orderToken }: TagOrder,
  server: string,
): readonly Attribute[] {
  const { mode, theme, locale, returnParam, autostart, writesServer } = settings;
  const optional: readonly (Attribute | false)[] = [
    writesServer && ['server', server],
    mode !== 'auto' && ['mode', mode],
    autostart && ['autostart', ''],
    locale !== '' && ['locale', locale],
    theme !== 'auto' && ['theme', theme],
    returnParam !== '' && ['return-param', returnParam],
  ];
  return [
    ['merchant', merchant],
    ['order', order],
    ['order-token', orderToken],
    ...optional.filter((attribute) => attribute !== false),
  ];
}

/** The rule that gives the tag its looks; empty when it keeps its own. */
export function cssFor({ hasOwnColours, accent, onAccent, radius, gap }: Settings): string {
  const properties: readonly Attribute[] = [
    ['accent', hasOwnColours ? accent : ''],
    ['on-accent', hasOwnColours ? onAccent : ''],
    ['radius', radius],
    ['gap', gap],
  ];
  const lines = properties
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  --pay-checkout-${name}: ${value};`);
  return lines.length === 0 ? '' : ['pay-checkout {', ...lines, '}'].join('\n');
}
