import { expect } from '@open-wc/testing';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

/** Properties that the element reads from replies and its state, and passes to the browser. */
const NAMES = [
  'container avs body headers method mode redirect locale id once signal keepalive duration end',
  'needs fields sdk sessionId construct navigates integrity callbacks environment',
  'code errors requestId retryAfterSeconds update wanted isUrgent revision session address renew known',
  'checking declines inWindow rejected input request error recovery',
].join(' ');

/** What other scripts of a page do to built-in objects. */
const CHANGES: Readonly<Record<string, string>> = {
  'every name that it reads, in Object.prototype': `
    for (const name of '${NAMES}'.split(' ')) Object.prototype[name] = 'x';`,
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

  for (const [what, before] of Object.entries(CHANGES)) {
    it(`${what}: pays, and sends the server what the tag says`, async () => {
      const [harness, page] = await MerchantPage.place(server, { before });
      await harness.during('ready', () => harness.press());
      const [open] = await server.opens();
      expect(open?.body).to.deep.equal({
        merchant: 'corner-shop',
        order: 'A1001',
        orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
      });
      const amount = harness.element.renderRoot.querySelector('[part="amount"]');
      expect(amount?.textContent).to.contain('42.50');
      expect(page.sdk.calls).to.have.length(1);
      expect(page.sdk.calls[0]).to.include({ session_id: `session-${server.id}` });
      await harness.during('cancelled', async () => {
        harness.element.close();
        await server.setState('cancelled', 2);
      });
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => server.setState('paid', 3));
      expect(await server.hints()).to.include('cancelled');
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });
  }
});
