import { expect } from '@open-wc/testing';
import { CodedError } from '../coded-error.js';
import { LoaderPage } from '../testing/loader-page.js';
import { speedUp, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import type { ScriptOptions } from './script-loader.js';
import { loadScript } from './script-loader.js';

const WRONG_HASH = 'sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC';
/** A port that browsers refuse to ask, as a blocker refuses an address: at once, on a good line. */
const REFUSED = 'http://localhost:1/sdk.js';

function tagsOf(url: string): HTMLScriptElement[] {
  return [...document.scripts].filter((script) => script.src === url);
}

/** The code with which a load ends; nothing when it goes well. */
async function load(options: ScriptOptions, timeoutMs?: number): Promise<string | undefined> {
  const isThere = (): boolean => options.global in globalThis;
  const error: unknown = await loadScript(options, isThere, timeoutMs).catch(
    (reason: unknown) => reason,
  );
  return error instanceof CodedError ? error.code : undefined;
}

describe('loading the client SDK', () => {
  let server: TestServer;
  let wanted: ScriptOptions;
  let restore: () => void;
  beforeEach(async () => {
    server = await new TestServer().start();
    const { url, global } = server.sdkDescription;
    wanted = { url, global };
    restore = speedUp(globalThis);
  });
  afterEach(() => restore());

  const requestCount = async (): Promise<number> => (await server.seen('GET', /sdk\.js$/)).length;

  it('loads once, however many callers there are', async () => {
    await Promise.all([load(wanted), load(wanted)]);
    await load(wanted);
    expect(tagsOf(wanted.url)).to.have.length(1);
    expect(await requestCount()).to.equal(1);
  });

  it('what is described otherwise is another load', async () => {
    expect(await load({ ...wanted, integrity: WRONG_HASH })).to.equal('sdk_integrity');
    expect(await load(wanted)).to.equal(undefined);
  });

  it('retries automatically, bypassing caches, and leaves one tag', async () => {
    await server.set({ faults: { sdk: 1 } });
    expect(await load({ ...wanted, url: `${wanted.url}&sig=a%20b` })).to.equal(undefined);
    const queries = (await server.seen('GET', /sdk\.js$/)).map(({ query }) => query);
    expect(queries[0]).to.match(/&sig=a%20b$/);
    expect(queries.at(-1)).to.match(/&sig=a%20b&retry=\d+$/);
    expect([...document.scripts].filter(({ src }) => src.startsWith(wanted.url))).to.have.length(1);
  });

  it('forgets a failure and its tags, so that asking again can work', async () => {
    await server.set({ sdk: 'missing' });
    expect(await load(wanted)).to.equal('sdk_not_found');
    expect([...document.scripts].filter(({ src }) => src.startsWith(wanted.url))).to.have.length(0);
    await server.set({ sdk: 'fine' });
    expect(await load(wanted)).to.equal(undefined);
  });

  it('gives up on a script that never answers, all tries together', async () => {
    await server.set({ sdk: 'silent' });
    expect(await load(wanted, 20)).to.equal('sdk_timeout');
    expect(tagsOf(wanted.url)).to.have.length(0);
    await server.set({ sdk: 'fine' });
    expect(await load(wanted)).to.equal(undefined);
  });

  it('a script that fails fast has no more time than that either, whatever tries are left', async () => {
    restore();
    await server.set({ sdk: 'missing' });
    expect(await load(wanted, 200)).to.equal('sdk_timeout');
    const queries = (await server.seen('GET', /sdk\.js$/)).map(({ query }) => query);
    expect(queries.filter((query) => query.includes('retry='))).to.deep.equal([]);
  });

  it('gives the script the nonce of the page, as a property', async () => {
    await load({ ...wanted, nonce: 'abc' });
    expect(tagsOf(wanted.url)[0]?.nonce).to.equal('abc');
    expect(tagsOf(wanted.url)[0]?.getAttribute('nonce')).to.equal(null);
  });

  describe('reports why it failed', () => {
    for (const [what, sdk, code] of [
      ['there is nothing at its address', 'missing', 'sdk_not_found'],
      ['its server fails', 'failing', 'sdk_server_error'],
      ['it leaves no global', 'empty', 'sdk_global_missing'],
    ] as const) {
      it(`${what}: ${code}`, async () => {
        await server.set({ sdk });
        expect(await load(wanted)).to.equal(code);
      });
    }

    it('its status is hidden, because its server allows no other origin: sdk_load_failed', async () => {
      await server.set({ sdk: 'missing' });
      const url = wanted.url.replace('//localhost', '//127.0.0.1');
      expect(url).not.to.equal(wanted.url);
      expect(await load({ ...wanted, url })).to.equal('sdk_load_failed');
    });

    it('it is not the one described: sdk_integrity, without another try', async () => {
      expect(await load({ ...wanted, integrity: WRONG_HASH })).to.equal('sdk_integrity');
      const queries = (await server.seen('GET', /sdk\.js$/)).map(({ query }) => query);
      expect(queries.filter((query) => query.includes('retry='))).to.have.length(0);
    });

    /** Each look at the clock is so much later than the one before, however busy the machine is. */
    const withClock = async (stepMs: number, work: () => Promise<void>): Promise<void> => {
      const { now } = Date;
      let time = now();
      Date.now = () => (time += stepMs);
      try {
        await work();
      } finally {
        Date.now = now;
      }
    };

    it('the browser refuses the request at once, as with a blocker: sdk_blocked', () =>
      withClock(1, async () => {
        expect(await load({ ...wanted, url: REFUSED })).to.equal('sdk_blocked');
      }));

    it('its server refuses the request, which takes longer: sdk_load_failed', () =>
      withClock(100, async () => {
        expect(await load({ ...wanted, url: `${REFUSED}?slow` })).to.equal('sdk_load_failed');
      }));

    it('the browser is offline: sdk_offline', async () => {
      Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
      try {
        expect(await load({ ...wanted, url: `${REFUSED}?offline` })).to.equal('sdk_offline');
      } finally {
        delete (navigator as { onLine?: boolean }).onLine;
      }
    });
  });

  describe('under the policies of a page', () => {
    const self = `'self' 'unsafe-inline'`;

    async function loadUnder(policy: string, options = wanted): Promise<string | undefined> {
      const page = await LoaderPage.open(server, policy);
      const code = await page.load(options);
      page.close();
      return code;
    }

    function elsewhere(): ScriptOptions {
      return { ...wanted, url: wanted.url.replace('//localhost', '//127.0.0.1') };
    }

    it('a forbidden script is sdk_blocked_csp, and is not requested again', async () => {
      expect(await loadUnder(`script-src ${self}`, elsewhere())).to.equal('sdk_blocked_csp');
      expect(await requestCount()).to.equal(0);
    });

    it('the same where the page may not connect anywhere either', async () => {
      const policy = `default-src 'none'; script-src ${self}`;
      expect(await loadUnder(policy, elsewhere())).to.equal('sdk_blocked_csp');
      expect(await requestCount()).to.equal(0);
    });

    it('a page that may not request the reason reports no more than it knows', async () => {
      const policy = `script-src ${self} http://localhost:1; connect-src 'none'`;
      expect(await loadUnder(policy, { ...wanted, url: REFUSED })).to.equal('sdk_load_failed');
    });

    it('a policy that only reports blocks nothing, and is blamed for nothing', async () => {
      await server.set({ reportOnlyPolicy: `script-src ${self}`, sdk: 'missing' });
      expect(await loadUnder('', elsewhere())).to.equal('sdk_load_failed');
    });

    it('a nonce loads the script where the page allows no other source', async () => {
      const policy = `script-src 'nonce-abc' 'self'`;
      expect(await loadUnder(policy, { ...elsewhere(), nonce: 'abc' })).to.equal(undefined);
    });

    it('Trusted Types are served by the policy pay-checkout-sdk', async () => {
      const policy = `require-trusted-types-for 'script'; trusted-types lit-html pay-checkout-sdk`;
      const page = await LoaderPage.open(server, policy);
      expect(await page.load(wanted)).to.equal(undefined);
      const second = await new TestServer().start();
      const { url, global } = second.sdkDescription;
      expect(await page.load({ url, global })).to.equal(undefined);
      page.close();
    });

    it('a page that does not allow that policy gets a code, not a broken page', async () => {
      const policy = `require-trusted-types-for 'script'; trusted-types lit-html`;
      expect(await loadUnder(policy)).to.equal('sdk_blocked_csp');
      expect(await requestCount()).to.equal(0);
    });

    it('a name that another copy of this script has taken does no harm where nothing is enforced', async () => {
      const page = await LoaderPage.open(server, `trusted-types pay-checkout-sdk`);
      takePolicyName(page);
      expect(await page.load(wanted)).to.equal(undefined);
      page.close();
    });

    it('and where they are, a default policy of the page may still help', async () => {
      const policy = `require-trusted-types-for 'script'; trusted-types default pay-checkout-sdk`;
      const page = await LoaderPage.open(server, policy);
      takePolicyName(page);
      expect(await page.load(wanted)).to.equal('sdk_blocked_csp');
      takePolicyName(page, 'default');
      expect(await page.load(wanted)).to.equal(undefined);
      page.close();
    });
  });

  it('waits for a global that comes after the script', async () => {
    await server.set({ sdk: 'empty' });
    const loading = load(wanted);
    await until(() => tagsOf(wanted.url).length === 1);
    await until(async () => (await requestCount()) === 1);
    Object.assign(globalThis, { [wanted.global]: {} });
    expect(await loading).to.equal(undefined);
  });
});

function takePolicyName({ page }: LoaderPage, name = 'pay-checkout-sdk'): void {
  const { trustedTypes } = page as unknown as {
    trustedTypes: { createPolicy(name: string, rules: object): unknown };
  };
  trustedTypes.createPolicy(name, { createScriptURL: (url: string) => url });
}
