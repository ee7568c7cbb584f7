import { expect } from '@open-wc/testing';
import { Tab } from '../testing/tab.js';
import { speedUpWait, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

const MAX_SILENCE_MS = 30_000;

describe('one poll for all elements and tabs of a browser', () => {
  let server: TestServer;
  const tabs: Tab[] = [];
  beforeEach(async () => (server = await new TestServer().start()));
  afterEach(() => {
    for (const tab of tabs.splice(0)) tab.close();
  });

  async function readyTab(prepare?: (page: Window & typeof globalThis) => void): Promise<Tab> {
    const tab = await Tab.ready(server, prepare);
    tabs.push(tab);
    return tab;
  }

  /** Who holds this server's lock, and who waits for it. */
  async function locks(): Promise<{ held: number; pending: number }> {
    const { held = [], pending = [] } = await navigator.locks.query();
    const ours = ({ name = '' }: LockInfo): boolean => name.endsWith(server.url);
    return { held: held.filter(ours).length, pending: pending.filter(ours).length };
  }

  it('two tabs of one order: one polls, the other asks once about each change, each sends pay-paid once', async () => {
    const first = await readyTab();
    const second = await readyTab();
    await until(async () => (await locks()).pending === 1);
    await until(async () => (await server.polls()).length > 0);
    const before = (await server.polls()).length;
    await server.setState('returned', 2);
    await Promise.all([first.reaches('confirming'), second.reaches('confirming')]);
    await until(async () => (await server.polls()).length > before);
    await server.setState('paid', 3);
    await Promise.all([first.reaches('paid'), second.reaches('paid')]);
    // Two changes, of which each tab asks; the second tab may have to poll in the end.
    expect((await server.polls()).length - before).to.be.at.most(4);
    expect([first.count('pay-paid'), second.count('pay-paid')]).to.deep.equal([1, 1]);
    expect(await locks()).to.deep.equal({ held: 0, pending: 0 });
  });

  it('two elements of one page share one poll', async () => {
    const tab = await readyTab();
    const twin = tab.page.document.createElement('pay-checkout');
    const other = crypto.randomUUID();
    Object.assign(twin, { merchant: 'corner-shop', order: 'B2', server: server.url });
    await server.set({
      open: [{ status: 200, body: server.openReply({ checkout: other, sessionId: 'other' }) }],
      others: [{ ...server.status({ checkout: other, order: 'B2' }) }],
    });
    tab.page.document.body.append(twin);
    await twin.updateComplete;
    twin.start();
    await until(async () =>
      (await server.polls()).some(
        ({ query }) => query.includes(server.checkout) && query.includes(other),
      ),
    );
    expect(await locks()).to.deep.equal({ held: 1, pending: 0 });
    await server.set({
      others: [{ ...server.status({ checkout: other, order: 'B2', state: 'paid', revision: 2 }) }],
    });
    await until(() => twin.matches(':state(paid)'));
    expect(tab.element.matches(':state(ready)')).to.equal(true);
  });

  it('other messages on the channel change nothing and get no answer', async () => {
    const tab = await readyTab();
    await until(async () => (await server.polls()).length > 0);
    const polls = (await server.polls()).length;
    const errors: unknown[] = [];
    tab.page.addEventListener('error', ({ error }) => errors.push(error));
    const channel = new BroadcastChannel(`pay-checkout ${server.url}`);
    const strange = [
      null,
      'text',
      7,
      { wanted: 7 },
      { update: 1 },
      { wanted: [null] },
      { polled: 7 },
      { polled: [null] },
    ];
    for (const message of strange) channel.postMessage(message);
    const received = new Promise((resolve) => (channel.onmessage = resolve));
    channel.postMessage({ polled: [] });
    await received;
    channel.close();
    expect(errors).to.deep.equal([]);
    expect(await server.polls()).to.have.length(polls);
    await server.setState('paid', 2);
    await tab.reaches('paid');
  });

  it('another page’s message is never an answer: it only makes the tab ask the server', async () => {
    const tab = await readyTab();
    await until(async () => (await locks()).held === 1);
    await until(async () => (await server.polls()).length > 0);
    const { checkout } = server;
    const paid = server.status({ state: 'paid', certain: true, revision: 9 });
    const polls = (await server.polls()).length;
    const channel = new BroadcastChannel(`pay-checkout ${server.url}`);
    channel.postMessage({ update: { requested: [checkout], checkouts: [paid] } });
    channel.postMessage({ polled: [[checkout, 9]], checkouts: [paid] });
    await until(async () => (await server.polls()).length > polls);
    channel.close();
    expect(tab.element.matches(':state(ready)')).to.equal(true);
    expect(tab.events).not.to.include('pay-paid');
    await server.setState('failed', 2);
    await tab.reaches('failed');
  });

  it('leaves the main thread to the form for its first second, then sends its hint and polls', async () => {
    const tab = await readyTab();
    // The page itself is asked, so that nothing that it asked for before is still on its way.
    await tab.page.navigator.locks.query();
    expect(await locks()).to.deep.equal({ held: 0, pending: 0 });
    expect(await server.polls()).to.deep.equal([]);
    expect(await server.hints()).to.deep.equal([]);
    await until(async () => (await server.hints()).includes('shown'));
    await until(async () => (await server.polls()).length > 0);
  });

  it('polls even when no form appears, and shows what happened in another tab', async () => {
    const tab = await Tab.open(server);
    tabs.push(tab);
    tab.element.adapter = {
      load: () => new Promise(() => undefined),
      open: () => Promise.resolve(),
    };
    tab.element.start();
    await until(() => tab.page.performance.getEntriesByName('pay-checkout:session').length > 0);
    await server.setState('paid', 2);
    await tab.reaches('paid');
    expect(tab.count('pay-paid')).to.equal(1);
    expect(tab.element.childElementCount).to.equal(0);
  });

  it('polls for every tab the checkouts of that tab', async () => {
    const first = await readyTab();
    const other = crypto.randomUUID();
    await server.set({
      open: [{ status: 200, body: server.openReply({ checkout: other, sessionId: 'other' }) }],
      others: [{ ...server.status({ checkout: other }) }],
    });
    const second = await readyTab();
    await until(async () => (await locks()).pending === 1);
    await server.set({
      others: [{ ...server.status({ checkout: other, state: 'left', revision: 2 }) }],
    });
    await second.reaches('left');
    expect(first.element.matches(':state(ready)')).to.equal(true);
    const short = (await server.polls()).filter(({ query }) => !query.includes('wait=25'));
    expect(short.map(({ query }) => query)).to.deep.equal([`?id=${other}:1&wait=0`]);
  });

  it('a tab that knows only the id is answered at once, although another tab waits for a change', async () => {
    await readyTab();
    await until(async () => (await server.polls()).some(({ query }) => query.endsWith('wait=25')));
    const second = await Tab.open(
      server,
      undefined,
      `/packages/widget/test-server/page.html?checkout=${server.checkout}`,
    );
    tabs.push(second);
    await until(() => second.element.matches(':state(idle)'));
    const polls = await server.polls();
    expect(polls.map(({ query }) => query)).to.include(`?id=${server.checkout}:0&wait=25`);
  });

  describe('a tab that does not poll repeats a question', () => {
    let tab: Tab;
    let thaw: () => void;
    beforeEach(async () => {
      const frozen = new Promise<void>((resolve) => (thaw = resolve));
      void navigator.locks.request(`pay-checkout ${server.url}`, () => frozen);
      tab = await readyTab((page) => {
        const { setTimeout } = page;
        // It never polls for itself.
        page.setTimeout = ((run: TimerHandler, wait?: number) =>
          wait === MAX_SILENCE_MS ? 0 : setTimeout(run, wait)) as typeof setTimeout;
      });
      await until(async () => (await locks()).pending === 1);
    });
    afterEach(() => thaw());

    const ask = (): unknown => tab.page.dispatchEvent(new tab.page.Event('online'));

    it('whose answer is lost', async () => {
      await server.set({ faults: { status: 1 } });
      await server.setState('left');
      ask();
      await until(() => tab.element.matches(':state(left)'));
    });

    it('that the poll of another tab ends', async () => {
      await server.set({ holdStatus: true });
      ask();
      await until(async () => (await server.polls()).length === 1);
      const channel = new BroadcastChannel(`pay-checkout ${server.url}`);
      const isReceived = new Promise((resolve) => (channel.onmessage = resolve));
      channel.postMessage({ polled: [[server.checkout, 1]] });
      await isReceived;
      channel.close();
      await server.setState('left');
      await server.set({ holdStatus: false });
      await until(() => tab.element.matches(':state(left)'));
    });
  });

  it('when the polling tab is closed, another takes over', async () => {
    const first = await readyTab();
    const second = await readyTab();
    await until(async () => (await locks()).pending === 1);
    first.close();
    await until(async () => (await locks()).pending === 0);
    expect((await locks()).held).to.equal(1);
    await server.setState('paid', 2);
    await second.reaches('paid');
    expect(second.count('pay-paid')).to.equal(1);
  });

  it('a frozen polling tab does not stop the others', async () => {
    let thaw = (): void => undefined;
    const frozen = new Promise<void>((resolve) => (thaw = resolve));
    void navigator.locks.request(`pay-checkout ${server.url}`, () => frozen);
    const tab = await readyTab((page) => speedUpWait(page, MAX_SILENCE_MS));
    await until(async () => (await server.polls()).length > 0);
    await server.setState('paid', 2);
    await tab.reaches('paid');
    expect((await server.polls()).every(({ query }) => query.endsWith('wait=0'))).to.equal(true);
    thaw();
  });

  const REFUSED = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  for (const [what, refuse] of Object.entries({
    'without locks': (page) => Object.defineProperty(page.navigator, 'locks', { value: undefined }),
    'where locks are refused': (page) => {
      const locks = { request: () => Promise.resolve().then(REFUSED) };
      Object.defineProperty(page.navigator, 'locks', { value: locks });
    },
    'where tabs may not talk to each other': (page) => {
      page.BroadcastChannel = class extends page.BroadcastChannel {
        constructor(name: string) {
          REFUSED();
          super(name);
        }
      };
    },
  } satisfies Record<string, (page: Window & typeof globalThis) => unknown>)) {
    it(`${what} it uses short polls with growing pauses`, async () => {
      const tab = await readyTab(refuse);
      await until(async () => (await server.polls()).length > 1);
      await server.setState('paid', 2);
      await tab.reaches('paid');
      expect((await server.polls()).every(({ query }) => query.endsWith('wait=0'))).to.equal(true);
      expect(tab.count('pay-error')).to.equal(0);
      expect(await locks()).to.deep.equal({ held: 0, pending: 0 });
    });
  }

  it('a page in the back/forward cache holds no lock, polls nothing, and keeps its form', async () => {
    const channels = new Set<BroadcastChannel>();
    const pollSignals: AbortSignal[] = [];
    const tab = await readyTab((page) => {
      page.BroadcastChannel = class extends page.BroadcastChannel {
        constructor(name: string) {
          super(name);
          channels.add(this);
        }
        override close(): void {
          channels.delete(this);
          super.close();
        }
      };
      const { fetch } = page;
      page.fetch = (url, init) => {
        const isPoll = typeof url === 'string' && url.includes('/v1/checkouts?');
        if (isPoll && init?.signal) pollSignals.push(init.signal);
        return fetch(url, init);
      };
    });
    await until(async () => (await locks()).held === 1);
    // The question that is on its way has come, so that none but a new one would be counted.
    await until(async () => (await server.polls()).length > 0);
    expect(channels.size).to.equal(1);
    expect(pollSignals.at(-1)?.aborted).to.equal(false);
    tab.turn('pagehide');
    expect(channels.size).to.equal(0);
    expect(pollSignals.at(-1)?.aborted).to.equal(true);
    await until(async () => (await locks()).held === 0);
    expect(tab.element.childElementCount).to.equal(1);
    const before = (await server.polls()).length;
    await server.setState('paid', 2);
    tab.page.dispatchEvent(new tab.page.Event('online'));
    expect(await server.polls()).to.have.length(before);
    tab.turn('pageshow');
    await tab.reaches('paid');
    expect(tab.count('pay-paid')).to.equal(1);
  });

  it('a page that is hidden while it waits for the lock stops waiting', async () => {
    await readyTab();
    const second = await readyTab();
    await until(async () => (await locks()).pending === 1);
    second.turn('pagehide');
    await until(async () => (await locks()).pending === 0);
    expect((await locks()).held).to.equal(1);
    second.turn('pageshow');
    await until(async () => (await locks()).pending === 1);
  });

  it('a request that the back/forward cache interrupts is repeated, and opens the same checkout', async () => {
    await server.set({ holdOpen: true });
    const tab = await Tab.open(server);
    tabs.push(tab);
    tab.element.start();
    await until(async () => (await server.opens()).length === 1);
    tab.turn('pagehide');
    await server.set({ holdOpen: false });
    tab.turn('pageshow');
    await tab.reaches('ready');
    expect(await server.opens()).to.have.length(2);
    expect(tab.count('pay-error')).to.equal(0);
  });
});
