import { expect } from '@open-wc/testing';
import { CodedError } from '../coded-error.js';
import { WorldClient } from '../testing/world-client.js';
import { loadScript } from './script-loader.js';
import { ScriptSdk } from './script-sdk.js';

const { signal } = new AbortController();

function tagsOf(url: string): number {
  return [...document.scripts].filter((script) => script.src === url).length;
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  return error instanceof CodedError ? error.code : undefined;
}

describe('loading the client SDK', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

  it('loads once, however many ask at once or later', async () => {
    const { url } = world.sdkDescription;
    await Promise.all([loadScript({ url }), loadScript({ url })]);
    await loadScript({ url });
    expect(tagsOf(url)).to.equal(1);
    expect(await world.seen('GET', /sdk\.js$/)).to.have.length(1);
  });

  it('forgets a failure and its tag, so that asking again can work', async () => {
    await world.write({ faults: { sdk: 1 } });
    const { url } = world.sdkDescription;
    expect(await codeOf(loadScript({ url }))).to.equal('sdk_load_failed');
    expect(tagsOf(url)).to.equal(0);
    await loadScript({ url });
    const [first, second] = await world.seen('GET', /sdk\.js$/);
    expect(first?.query).not.to.contain('retry=');
    expect(second?.query).to.contain('retry=');
  });

  it('gives up on a script that never answers', async () => {
    const url = `${world.server}/v1/checkouts?id=${world.checkout}:1&wait=25`;
    expect(await codeOf(loadScript({ url, timeoutMs: 20 }))).to.equal('sdk_timeout');
    expect(tagsOf(url)).to.equal(0);
  });

  it('refuses a script that is not the one described', async () => {
    const { url } = world.sdkDescription;
    const integrity = 'sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC';
    expect(await codeOf(loadScript({ url, integrity }))).to.equal('sdk_load_failed');
  });

  it('gives the script the nonce of the page', async () => {
    const { url } = world.sdkDescription;
    await loadScript({ url, nonce: 'abc' });
    expect([...document.scripts].find((script) => script.src === url)?.nonce).to.equal('abc');
  });

  it('says when the script ran without leaving its global', async () => {
    const sdk = new ScriptSdk({ ...world.sdkDescription, global: 'Missing.Sdk' });
    expect(await codeOf(sdk.load(signal))).to.equal('sdk_global_missing');
  });

  it('loads nothing when the page has the SDK already', async () => {
    Object.assign(globalThis, { BroughtAlong: { Sdk: { configure: () => undefined } } });
    const description = { ...world.sdkDescription, global: 'BroughtAlong.Sdk' };
    await new ScriptSdk(description).load(signal);
    expect(await world.seen('GET', /sdk\.js$/)).to.have.length(0);
  });

  it('hands configure() the session as it is described: alone, or with a constructor first', async () => {
    const calls: unknown[][] = [];
    class Sdk {
      configure(...args: unknown[]): void {
        calls.push(args);
      }
    }
    Object.assign(globalThis, { Constructed: Sdk });
    const { container: _, callbacks: __, ...bare } = world.sdkDescription;
    const sdk = new ScriptSdk({
      ...bare,
      global: 'Constructed',
      construct: true,
      argument: 'string',
    });
    await sdk.open({
      sessionId: 's-1',
      container: document.createElement('div'),
      locale: undefined,
      signal,
      report: () => undefined,
    });
    expect(calls).to.deep.equal([['s-1']]);
  });
});
