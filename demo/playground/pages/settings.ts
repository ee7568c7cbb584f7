/** The settings in the form of the playground, kept for the return from a payment page. */
import { BRANDS } from './brands.js';

/** `amount` is decimal text; `brand` is a name of {@link BRANDS}, or empty for none. */
const TEXTS = [
  'shape',
  'amount',
  'mode',
  'theme',
  'locale',
  'returnParam',
  'words',
  'lang',
  'dir',
  'brand',
  'accent',
  'onAccent',
  'radius',
  'gap',
] as const;
const FLAGS = ['asksAddress', 'autostart', 'writesServer', 'isFramed', 'hasOwnColours'] as const;

export type Settings = Readonly<
  Record<(typeof TEXTS)[number], string> & Record<(typeof FLAGS)[number], boolean>
>;

const KEY = 'playground-settings';

export function readSettings(form: HTMLFormElement): Settings {
  const data = new FormData(form);
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return Object.fromEntries([
    ...TEXTS.map((name) => [name, text(name)]),
    ...FLAGS.map((name) => [name, data.has(name)]),
  ]) as Settings;
}

/** Keeps the settings in this tab, so that they outlive a payment on another page. */
export function rememberSettings(settings: Settings): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser without storage starts with the defaults.
  }
}

/** Sets the controls as they were in this tab, and as the address asks (`?mode=popup`). */
export function restoreSettings(form: HTMLFormElement, search: string): void {
  const wanted = { ...recall(), ...Object.fromEntries(new URLSearchParams(search)) };
  for (const control of form.elements) {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
    const value = wanted[control.name];
    if (value === undefined) continue;
    if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      control.checked = value === true || value === 'true';
    } else if (control instanceof HTMLInputElement && control.type === 'radio') {
      control.checked = control.value === value;
    } else if (control instanceof HTMLInputElement || hasOption(control, String(value))) {
      control.value = String(value);
    }
  }
}

function hasOption(select: HTMLSelectElement, value: string): boolean {
  return [...select.options].some((option) => option.value === value);
}

function recall(): Record<string, string | boolean> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string | boolean>;
  } catch {
    return {};
  }
}

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

/** The CSS rule with the tokens: those of the brand, then those set one by one; empty when none is set. */
export function cssFor({ brand, hasOwnColours, accent, onAccent, radius, gap }: Settings): string {
  const own: readonly Attribute[] = [
    ['accent', hasOwnColours ? accent : ''],
    ['on-accent', hasOwnColours ? onAccent : ''],
    ['radius', radius],
    ['gap', gap],
  ];
  const style: Readonly<Record<string, string>> = {
    ...BRANDS[brand]?.style,
    ...Object.fromEntries(
      own
        .filter(([, value]) => value !== '')
        .map(([name, value]) => [`--pay-checkout-${name}`, value]),
    ),
  };
  const lines = Object.entries(style).map(([name, value]) => `  ${name}: ${value};`);
  return lines.length === 0 ? '' : ['pay-checkout {', ...lines, '}'].join('\n');
}
