import { expect } from '@open-wc/testing';
import { EVERY_PHASE, redirectNowhere, WITHIN_PHASES } from '../testing/every-phase.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import { PayCheckout } from './pay-checkout.js';

interface Item {
  readonly name: string;
  readonly kind?: string;
  readonly attribute?: string;
  readonly fieldName?: string;
  readonly reflects?: boolean;
  readonly type?: { readonly text: string };
}

type Kind = 'members' | 'attributes' | 'events' | 'slots' | 'cssParts' | 'cssProperties';
type Manifest = Readonly<Record<Kind | 'cssStates', readonly Item[]>>;

/** Public for the flow, not for pages. */
const OF_THE_FLOW = ['serverUrl', 'language', 'formLabel', 'isFormEmpty'];

const MANIFEST = '/packages/widget/dist/custom-elements.json';

describe('custom-elements.json', () => {
  let manifest: Manifest;
  before(async () => {
    const found = (await (await fetch(MANIFEST)).json()) as {
      modules: [{ declarations: [Manifest] }];
    };
    manifest = found.modules[0].declarations[0];
  });

  const names = (kind: keyof Manifest): string[] => manifest[kind].map(({ name }) => name);

  it('lists the properties and methods that the element has, and no others', () => {
    const isCallback = (name: string) => /Callback$|^constructor$/.test(name) || name in LIT;
    const LIT = Object.getPrototypeOf(PayCheckout.prototype) as object;
    const own = Object.getOwnPropertyNames(PayCheckout.prototype);
    const declared = [...PayCheckout.elementProperties.keys()].map(String);
    const found = new Set([...own, ...declared].filter((name) => !isCallback(name)));
    expect(names('members')).to.have.members(
      [...found].filter((name) => !OF_THE_FLOW.includes(name)),
    );
  });

  it('lists the attributes that the element observes, and which of them reflect', () => {
    const observed = PayCheckout.observedAttributes.filter((name) => name !== 'isformempty');
    expect(names('attributes')).to.have.members(observed);
    for (const { name, attribute, reflects } of manifest.members) {
      const options = PayCheckout.elementProperties.get(name);
      expect(reflects ?? false, name).to.equal(options?.reflect ?? false);
      const own = typeof options?.attribute === 'string' ? options.attribute : name;
      const expected = options && options.attribute !== false ? own : undefined;
      expect(attribute, name).to.equal(expected);
    }
  });

  it('lists the custom properties that the style reads, and no others', () => {
    const css = [PayCheckout.styles].flat().map(String).join();
    const read = css.matchAll(/var\((--pay-checkout-[\w-]+)/g);
    expect(names('cssProperties')).to.have.members([...new Set([...read].map(([, name]) => name))]);
  });

  it('lists the states, parts, slots and events with their types of all phases, and no others', async () => {
    const seen = { states: new Set(), parts: new Set(), slots: new Set(), events: new Set() };
    for (const [what, reach] of [...EVERY_PHASE, ...WITHIN_PHASES]) {
      const server = await new TestServer().start();
      const harness = await PayCheckoutHarness.place(server);
      const { element } = harness;
      for (const type of names('events')) {
        element.addEventListener(type, ({ constructor }) => {
          seen.events.add(`${type} ${constructor.name}`);
        });
      }
      const all = (selector: string) => element.renderRoot.querySelectorAll(selector);
      const note = () => {
        for (const one of all('[part]')) seen.parts.add(one.getAttribute('part'));
        for (const one of all('slot')) seen.slots.add(one.getAttribute('name'));
        for (const name of names('cssStates')) {
          if (element.matches(`:state(${name})`)) seen.states.add(name);
        }
        expect(names('cssStates')).to.include(harness.phase);
      };
      note();
      await (what === 'redirecting' ? redirectNowhere : reach)(harness);
      await element.updateComplete;
      note();
      expect(what).to.match(new RegExp(`^${harness.phase}`));
      element.close();
      await server.set({ holdOpen: false, holdStatus: false });
      element.remove();
    }
    expect(names('cssStates')).to.have.members([...seen.states]);
    expect(names('cssParts')).to.have.members([...seen.parts]);
    expect(names('slots')).to.have.members([...seen.slots]);
    expect(manifest.events.map(({ name, type }) => `${name} ${type?.text ?? ''}`)).to.have.members([
      ...seen.events,
    ]);
  });
});
