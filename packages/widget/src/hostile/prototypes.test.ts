import { expect } from '@open-wc/testing';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

/** Where a script that comes along would be from. */
const ELSEWHERE = 'https://elsewhere.example';

/** With these in Object.prototype no script can define a property: `Object.defineProperty()` throws. */
const DESCRIPTOR = ['get', 'set', 'value', 'writable', 'enumerable', 'configurable'];

/** What Lit, or a `for` loop, takes for its own on every value: with it nothing is rendered. */
const OF_LIT =
  /^(_\$.*|.*lit[A-Z].*|reactive[A-Z].*|createScript.*|l|o|renderRoot|strings|nodeType|return)$/;

/** Calls of the browser that read options. */
const CALLS: readonly ((options: object) => unknown)[] = [
  (options) => new Request('/', options),
  (options) => new Event('x', options),
  (options) => addEventListener('x', () => undefined, options),
  (options) => new MutationObserver(() => undefined).observe(document, options),
  (options) => new IntersectionObserver(() => undefined, options),
  (options) => performance.measure('x', options),
  (options) => document.createElement('div').attachShadow(options as ShadowRootInit),
  (options) => document.createElement('div').focus(options),
  (options) => document.createElement('slot').assignedElements(options),
  (options) => document.getRootNode(options),
  (options) => scrollTo(options),
  (options) =>
    customElements.define(`x-${crypto.randomUUID()}`, class extends HTMLElement {}, options),
  (options) => navigator.locks.request('x', options, () => undefined),
  (options) => new Intl.NumberFormat('en', options),
];

/** Every word of the script, and every option that the browser reads in its calls. */
async function collectNames(): Promise<string[]> {
  const script = await (await fetch('/packages/widget/dist/pay-checkout.js')).text();
  const names = new Set(script.match(/[a-z_$][\w$]*/gi));
  const options = new Proxy(
    {},
    {
      get: (_, name) => void names.add(String(name)),
      has: (_, name) => Boolean(names.add(String(name))) && false,
    },
  );
  for (const call of CALLS) {
    try {
      await call(options);
    } catch {
      // Without an option that it requires: it has read the others before.
    }
  }
  return [...names].filter((name) => !(name in Object.prototype) && !DESCRIPTOR.includes(name));
}

/** A script that notes in `window.reads` which of the names anyone reads from Object.prototype. */
const watchReads = (names: readonly string[]): string => `
  const { defineProperty } = Object;
  const reads = (window.reads = new Set());
  for (const name of ${JSON.stringify(names)}) {
    defineProperty(Object.prototype, name, {
      configurable: true,
      get: () => void reads.add(name),
      set(value) {
        defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  }`;

/** What other scripts of a page do to built-in objects. */
const CHANGES: Readonly<Record<string, string>> = {
  'Object.prototype.toJSON = undefined': `Object.prototype.toJSON = undefined;`,
  'Array.prototype with an enumerable extra': `Array.prototype.each = function () {};`,
  'an Array.prototype.map of its own': `
    Array.prototype.map = function (change, self) {
      const changed = [];
      for (let index = 0; index < this.length; index++) {
        changed.push(change.call(self, this[index], index, this));
      }
      return changed;
    };
    Array.prototype.map.extra = true;`,
  'an Object.assign from before there was one': `
    Object.assign = function (target) {
      for (let index = 1; index < arguments.length; index++) {
        for (const name in arguments[index]) target[name] = arguments[index][name];
      }
      return target;
    };`,
  'toJSON of strings and arrays, as frameworks once had': `
    String.prototype.toJSON = function () { return '"' + this + '"'; };
    Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };`,
  'an Array.from of its own': `Array.from = (given) => [].concat(given);`,
  'a Function.prototype.bind of its own': `
    Function.prototype.bind = function (self) {
      const run = this;
      return function () { return run.apply(self, arguments); };
    };`,
  'a name of the window': `window.name = '<img src=x onerror=alert(1)>';`,
};

describe('a page whose other scripts change what all scripts share', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  /** Pays on a page with this script before ours; returns the page, which is still open. */
  async function pay(before: string): Promise<MerchantPage> {
    const needs = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    const open = [needs, server.openReply()].map((body) => ({ status: 200, body }));
    await server.set({ open });
    const [harness, page] = await MerchantPage.place(server, { before });
    await harness.during('address', () => harness.press());
    const inputs = harness.element.renderRoot.querySelectorAll('input');
    for (const input of inputs) input.value = '12';
    await harness.during('ready', () => harness.press());
    const [first, second] = await server.opens();
    expect(second?.body).to.deep.include({ avs: { houseNumber: '12', postcode: '12' } });
    expect(first?.body).to.deep.equal({
      merchant: 'corner-shop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
    });
    const amount = harness.element.renderRoot.querySelector('[part="amount"]');
    expect(amount?.textContent).to.contain('42.50');
    expect(page.sdk.calls).to.have.length(1);
    expect(page.sdk.calls[0]).to.include({ session_id: `session-${server.id}` });
    page.sdk.calls[0]?.onDecline?.();
    expect(harness.count('pay-declined')).to.equal(1);
    await harness.during('cancelled', async () => {
      harness.element.close();
      await server.setState('cancelled', 2);
    });
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => server.setState('paid', 3));
    expect(await server.hints()).to.include('cancelled');
    expect(page.complaints).to.deep.equal([]);
    return page;
  }

  describe('with every name that it reads in Object.prototype', () => {
    let names: readonly string[];

    /** A script that puts these names there. */
    const pollute = (added: readonly string[], value: string): string =>
      `for (const name of ${JSON.stringify(added)}) Object.prototype[name] = ${value};`;

    const requestsElsewhere = ({ page }: MerchantPage): string[] =>
      page.performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.startsWith(ELSEWHERE));

    before(async () => {
      server = await new TestServer().start();
      const page = await pay(watchReads(await collectNames()));
      names = [...(page.page as unknown as { reads: Set<string> }).reads];
      page.close();
      expect(names).to.include.members(['capture', 'useGrouping']);
    });

    for (const value of [`'${ELSEWHERE}'`, 'true', '{}']) {
      it(`as ${value}: pays, and sends the server what the tag says`, async () => {
        const page = await pay(
          pollute(
            names.filter((name) => !OF_LIT.test(name)),
            value,
          ),
        );
        expect(requestsElsewhere(page)).to.deep.equal([]);
        page.close();
      });
    }

    it('as one that Lit takes for its own: asks no one elsewhere', async () => {
      for (const name of names.filter((one) => OF_LIT.test(one))) {
        const page = await MerchantPage.open(server, { before: pollute([name], `'${ELSEWHERE}'`) });
        page.element.querySelector('button')?.click();
        expect(requestsElsewhere(page), name).to.deep.equal([]);
        page.close();
      }
    });
  });

  for (const [what, before] of Object.entries(CHANGES)) {
    it(`${what}: pays, and sends the server what the tag says`, async () => {
      (await pay(before)).close();
    });
  }
});
