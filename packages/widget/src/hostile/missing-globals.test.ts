import { expect } from '@open-wc/testing';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';
import { until } from '../testing/until.js';

/** What the element uses, and no payment depends on. */
const GLOBALS = [
  'performance',
  'performance.now',
  'performance.measure',
  'performance.clearMeasures',
  'performance.getEntriesByType',
  'crypto.randomUUID',
  'BroadcastChannel',
  'BroadcastChannel.prototype.postMessage',
  'navigator.locks',
  'navigator.locks.request',
  'IntersectionObserver',
  'MutationObserver',
  'MutationObserver.prototype.observe',
  'Intl',
  'Intl.NumberFormat',
  'localStorage',
  'sessionStorage',
  'HTMLElement.prototype.attachInternals',
  'ElementInternals.prototype.states',
  'CustomStateSet.prototype.add',
  'history.replaceState',
  'reportError',
  'crossOriginIsolated',
];

/** What a page, a browser or a blocker makes of it. */
const WAYS: Readonly<Record<string, string>> = {
  missing: `{ value: undefined }`,
  'an error when it is read': `{ get() { throw new Error('Not here.'); } }`,
  'an error when it is used': `{ value: function () { throw new Error('Not now.'); } }`,
  'a function that does nothing': `{ value: function () {} }`,
  'an empty object': `{ value: {} }`,
};

function replace(path: string, way: string): string {
  const [, of = 'window', name] = /^(?:(.*)\.)?(\w+)$/.exec(path) ?? [];
  return `Object.defineProperty(${of}, '${name}', ${way});`;
}

describe('a page that has replaced what the element uses for comfort', () => {
  /** Pays on pages with each way, at the same time. */
  async function pay(
    path: string,
    run: (server: TestServer, before: string) => Promise<MerchantPage>,
  ): Promise<void> {
    const pages = Object.entries(WAYS).map(async ([what, way]) => {
      try {
        (await run(await new TestServer().start(), replace(path, way))).close();
      } catch (error) {
        throw new Error(`${path} is ${what}`, { cause: error });
      }
    });
    await Promise.all(pages);
  }

  for (const path of GLOBALS) {
    it(`${path}: pays`, () =>
      pay(path, async (server, before) => {
        const [harness, page] = await MerchantPage.place(server, { before });
        await harness.during('ready', () => harness.press());
        expect(harness.announcement + harness.notice).not.to.contain('wrong');
        await harness.during('paid', () => server.setState('paid'));
        expect(harness.announcement).to.contain('Payment received');
        expect(page.complaints).to.deep.equal([]);
        return page;
      }));
  }

  it('IntersectionObserver: a tag with autostart starts', () =>
    pay('IntersectionObserver', async (server, before) => {
      const attributes = { autostart: 'autostart' };
      const [harness, page] = await MerchantPage.place(server, { before, attributes });
      if (!harness.form) await harness.arrives('ready');
      expect(await server.opens()).to.have.length(1);
      return page;
    }));

  it('MutationObserver: a form that an SDK draws late is shown', () =>
    pay('MutationObserver', async (server, before) => {
      const [harness, page] = await MerchantPage.place(server, { before });
      const drawsInside = true;
      const open = ({ container }: { container: HTMLElement }): Promise<void> => {
        page.page.setTimeout(() => (container.innerHTML = '<input>'), 1500);
        return Promise.resolve();
      };
      harness.element.adapter = { drawsInside, load: () => Promise.resolve(), open };
      await harness.during('ready', () => harness.press());
      return page;
    }));

  it('history.replaceState: the outcome of the payment in the address is told', () =>
    pay('history.replaceState', async (server, before) => {
      await server.setState('returned', 2);
      const search = `?checkout=${server.checkout}`;
      const [harness, page] = await MerchantPage.place(server, {
        before: `history.replaceState(null, '', '${search}');${before}`,
      });
      await harness.during('paid', () => server.setState('paid', 3));
      expect(harness.count('pay-paid')).to.equal(1);
      return page;
    }));

  it('reportError: an SDK that refuses is a problem that can be tried again', () =>
    pay('reportError', async (server, before) => {
      const [harness, page] = await MerchantPage.place(server, { before });
      await until(() => page.sdk !== undefined);
      page.sdk.fails = 1;
      await harness.during('problem', () => harness.press());
      await harness.during('ready', () => harness.press());
      return page;
    }));
});
