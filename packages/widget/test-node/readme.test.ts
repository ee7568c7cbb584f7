import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUTTONS } from '../src/flow/phases.ts';
import { PayCheckout } from '../src/pay-checkout/pay-checkout.ts';

interface Manifest {
  readonly modules: readonly {
    readonly declarations: readonly Readonly<
      Record<string, readonly { readonly name: string }[]>
    >[];
  }[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../README.md');
const element = read('../src/pay-checkout/pay-checkout.ts');
const events = read('../src/events.ts');
const styles = read('../src/pay-checkout/pay-checkout.styles.ts');

/** The rows of the table whose head begins with `first`, each as the texts of its cells. */
function tableOf(first: string): string[][] {
  const [, table = ''] = page.split(new RegExp(`\\n\\| ${first} [^\\n]*\\n[^\\n]*\\n`));
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').map((row) => {
    const cells = row.split('|').slice(1, -1);
    return cells.map((cell) => cell.replaceAll('`', '').trim());
  });
}

const namesOf = (first: string): string[] => tableOf(first).map(([name = '']) => name);
const { modules } = JSON.parse(read('../dist/custom-elements.json')) as Manifest;
/** What the manifest lists of one kind. */
const inManifest = (kind: string): string[] =>
  (modules[0]?.declarations[0]?.[kind] ?? []).map(({ name }) => name);
/** Every different thing that an expression finds in a text. */
const found = (text: string, what: RegExp): string[] => [
  ...new Set([...text.matchAll(what)].map(([, name = '']) => name)),
];
/** The same names, whatever their order. */
function expectSame(listed: readonly string[], ...others: readonly (readonly string[])[]): void {
  expect(listed.length).toBeGreaterThan(1);
  for (const other of others) expect(listed.toSorted()).toEqual(other.toSorted());
}

describe('the README', () => {
  it('lists the attributes and properties that the element has', () => {
    const rows = tableOf('attribute').map(([attribute = '', property = '']) => [
      attribute,
      property,
    ]);
    const isPublic = ([, options]: [string, object]): boolean => !('state' in options);
    const properties = Object.entries(PayCheckout.properties).filter(isPublic);
    const declared = properties.map(([name, options]) => {
      const { attribute } = options as { attribute?: string | false };
      return [attribute === false ? '' : (attribute ?? name), name];
    });
    const ofEveryElement = ['nonce', 'nonce'];
    const readOnly = ['', 'whenSettled'];
    expect(rows.toSorted()).toEqual([...declared, ofEveryElement, readOnly].toSorted());
    expect('whenSettled' in PayCheckout.prototype).toBe(true);
  });

  it('lists the modes', () => {
    const [, type = ''] =
      /type Presentation = ([^;]+);/.exec(read('../src/flow/presentation.ts')) ?? [];
    expectSame(namesOf('mode'), ['auto', ...found(type, /'(\w+)'/g)]);
  });

  it('lists the methods that are there', () => {
    const methods = namesOf('method').map((name) => name.replace('()', ''));
    expectSame(
      methods,
      found(element, /^ {2}(\w+)\(\): void \{$/gm).filter((name) => !/^connected/.test(name)),
    );
  });

  it('lists the events that are sent', () => {
    expectSame(namesOf('event'), inManifest('events'), found(events, /^ {4}'(pay-\w+)': \w+;$/gm));
  });

  it('names what each event carries', () => {
    for (const [event = '', when = ''] of tableOf('event')) {
      const [, type = ''] = new RegExp(`'${event}': (\\w+);`).exec(events) ?? [];
      const [, body = ''] = new RegExp(`class ${type} [^{]*{([^]*?)constructor`).exec(events) ?? [];
      const fields = found(body, /^ {2}readonly (\w+):/gm);
      expect(fields.length, event).toBeGreaterThan(0);
      if (type === 'CheckoutEvent') continue;
      for (const field of fields) expect(when, event).toContain(field);
    }
  });

  it('lists the metrics that are measured', () => {
    const [, type = ''] = /type MetricName = ([^;]+);/.exec(events) ?? [];
    const [, words = ''] = /`pay-metric` has the names([^]*?)milliseconds/.exec(page) ?? [];
    expectSame(found(words, /`(\w+)`/g), found(type, /'(\w+)'/g));
  });

  it('lists the slots, parts and custom properties that are rendered', () => {
    const markup = element + read('../src/pay-checkout/address-form.ts');
    const buttons = ['button', 'secondary'];
    const messages = found(element, /message\('(\w+)'/g);
    expectSame(namesOf('slot'), inManifest('slots'), found(markup, /<slot name="(\w+)"/g));
    expectSame(namesOf('part'), inManifest('cssParts'), [
      ...new Set([...found(markup, /\bpart="(\w+)"/g), ...messages, ...buttons]),
    ]);
    expectSame(
      namesOf('custom property'),
      inManifest('cssProperties'),
      found(styles, /var\((--pay-checkout-[\w-]+)/g),
    );
  });

  it('lists the states besides those of the phases', () => {
    const phases = Object.keys(BUTTONS);
    const others = inManifest('cssStates').filter((name) => !phases.includes(name));
    expectSame(namesOf('state'), others);
  });

  it('has the defaults of what is a length', () => {
    for (const [name = '', value = ''] of tableOf('custom property')) {
      if (/^\d/.test(value)) expect(styles).toContain(`var(${name}, ${value})`);
    }
  });
});
