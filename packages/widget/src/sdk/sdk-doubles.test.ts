import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { expect } from '@open-wc/testing';
import type { Phase } from '../flow/phases.js';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { collectReportedErrors } from '../testing/reported-errors.js';
import { Tab } from '../testing/tab.js';
import { speedUpWait, nextTask, speedUp, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

/** How a double is described where it differs from: an object, a selector, callbacks. */
type Described = Partial<Omit<SdkDescription, 'container'>> & {
  readonly container?: SdkDescription['container'] | 'none';
};

/** The SDKs that work, and their descriptions. */
const WORKING: Readonly<Record<string, Described>> = {
  'object → promise of a handle': {},
  'object → handle': {},
  'object → nothing': {},
  'object → promise of nothing': {},
  'object → a text': {},
  'string and options': { argument: 'string' },
  'string alone, appends to the body': {
    argument: 'string',
    container: 'none',
    callbacks: {},
  },
  'mounts in an element of the page by its id': { container: 'none' },
  'finds its container by document.getElementById': {},
  'takes the element': { container: 'element' },
  'a constructor first': { construct: true },
  'in a namespace': { global: '.Checkout.V2' },
  'a frame': {},
  'a popup': { container: 'none' },
  'reports by callbacks only': {},
  'calls back before it answers': {},
  'a handle that must be opened': { open: 'open' },
  'one form at a time': {},
  'ends its forms by destroy() of the global': { container: 'none' },
  'attaches its methods late': {},
  'leaves its global late': {},
  'a handle that throws': {},
  'a handle that rejects': {},
  'mounts and never answers': {},
  'puts its form in the place of its container': {},
};

/** The SDKs that fail, with the code and their descriptions. */
const FAILING: Readonly<Record<string, readonly [string, Described]>> = {
  throws: ['sdk_configure_failed', {}],
  'throws after mounting': ['sdk_configure_failed', {}],
  'throws in its constructor': ['sdk_configure_failed', { construct: true }],
  'a constructor without configure()': ['sdk_configure_failed', { construct: true }],
  'a constructor first': ['sdk_global_missing', {}],
  rejects: ['sdk_configure_failed', {}],
  'rejects with nothing': ['sdk_configure_failed', {}],
  'would navigate, and refuses': ['sdk_configure_failed', { navigates: true }],
  'reports an error instead of mounting': ['sdk_configure_failed', {}],
  'takes the element': ['sdk_configure_failed', {}],
  'string and options': ['sdk_configure_failed', {}],
  'object → nothing': ['sdk_configure_failed', { argument: 'string' }],
  'never answers': ['sdk_timeout', {}],
  'is about to navigate, and never goes': ['sdk_timeout', { container: 'none', navigates: true }],
  'has no configure()': ['sdk_global_missing', {}],
  'leaves nothing': ['sdk_global_missing', {}],
  'is an element of the page': ['sdk_global_missing', {}],
};

function clickOn({ element }: PayCheckoutHarness, words: string): void {
  const buttons = [...element.renderRoot.querySelectorAll('button')];
  buttons.find((one) => one.textContent?.trim() === words)?.click();
}

const SCRIPT = '/packages/widget/test-server/sdk-doubles.ts';
const MOUNT_TIMEOUT_MS = 20_000;

/** A server that serves the double `shape`, so described. */
async function serve(
  server: TestServer,
  shape: string,
  described: Described,
): Promise<SdkDescription> {
  const { global } = server.sdkDescription;
  const query = new URLSearchParams({ shape, global, page: `${server.here}/v1/pay/form` });
  const { container = 'selector', ...changes } = described;
  const { container: _, ...base } = server.sdkDescription;
  const sdk: SdkDescription = {
    ...base,
    ...changes,
    ...(container !== 'none' && { container }),
    url: `${location.origin}${SCRIPT}?${query}`,
    global: global + (described.global ?? ''),
  };
  const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
  await server.set({
    config: { status: 200, body: config },
    open: [{ status: 200, body: server.openReply({ sdk }) }],
  });
  return sdk;
}

describe('any plausible SDK', () => {
  let server: TestServer;
  let cardForm: HTMLElement;
  const relents: (() => void)[] = [];
  const relentAll = (): void => {
    for (const restore of relents.splice(0).reverse()) restore();
  };
  beforeEach(async () => {
    server = await new TestServer().start();
    cardForm = document.createElement('div');
    cardForm.id = 'card-form';
    document.body.append(cardForm);
    relents.push(speedUp(globalThis));
  });
  afterEach(() => {
    relentAll();
    cardForm.remove();
  });

  const formsOf = (): number =>
    document.querySelectorAll(`[data-double="${server.sdkDescription.global}"]`).length;
  const globalOf = (suffix = ''): unknown =>
    (globalThis as Record<string, unknown>)[server.sdkDescription.global + suffix];
  const drawsHere = (shape: string): boolean => !shape.includes('popup');
  const place = async (shape: string, described: Described): Promise<PayCheckoutHarness> => {
    await serve(server, shape, described);
    const harness = await PayCheckoutHarness.place(server, { mode: 'inline' });
    if (/never (answers|goes)/.test(shape)) {
      await until(() => globalOf() !== undefined);
      relents.push(speedUpWait(globalThis, MOUNT_TIMEOUT_MS));
    }
    return harness;
  };
  let errors: unknown[];
  beforeEach(() => {
    const { errors: collected, restore } = collectReportedErrors();
    errors = collected;
    relents.push(restore);
  });
  const hearRejections = (): unknown[] => {
    const received: unknown[] = [];
    const listen = (event: PromiseRejectionEvent): unknown => received.push(event.reason);
    addEventListener('unhandledrejection', listen);
    relents.push(() => removeEventListener('unhandledrejection', listen));
    return received;
  };
  const eventsOf = ({ events }: PayCheckoutHarness): string[] =>
    events.filter((type) => type !== 'pay-metric');

  describe('mounts, is paid, and leaves nothing behind', () => {
    for (const [shape, described] of Object.entries(WORKING)) {
      it(shape, async () => {
        const harness = await place(shape, described);
        const unhandled = hearRejections();
        await harness.during('ready', () => harness.press());
        expect(formsOf()).to.equal(drawsHere(shape) ? 1 : 0);
        await until(async () => (await server.hints()).includes('shown'));

        await harness.during('idle', () => harness.element.close());
        expect(formsOf()).to.equal(0);
        await harness.during('ready', () => harness.press());
        expect(formsOf()).to.equal(drawsHere(shape) ? 1 : 0);

        await harness.during('paid', () => server.setState('paid'));
        expect(formsOf()).to.equal(0);
        expect(harness.form).to.equal(null);
        await until(async () => (await server.hints()).length === 3);
        expect(await server.hints()).to.deep.equal(['shown', 'cancelled', 'shown']);
        expect(eventsOf(harness)).to.deep.equal([
          ...['pay-statechange', 'pay-statechange', 'pay-ready'],
          ...['pay-statechange', 'pay-statechange', 'pay-statechange', 'pay-ready'],
          ...['pay-statechange', 'pay-paid'],
        ]);
        expect(unhandled).to.deep.equal([]);
        const isLogged = /a handle that (throws|rejects)/.test(shape);
        expect(errors.splice(0).map(String)).to.deep.equal(
          isLogged ? ['Error: Not now.', 'Error: Not now.'] : [],
        );
      });
    }
  });

  describe('cannot mount, fails with a code, and leaves nothing behind', () => {
    for (const [shape, [code, described]] of Object.entries(FAILING)) {
      it(`${shape}: ${code}`, async () => {
        const harness = await place(shape, described);
        const error = harness.nextEvent('pay-error');
        await harness.during('problem', () => harness.press());
        expect(await error).to.include({ code, retryable: true, cause: errors[0] });
        const isLogged = code === 'sdk_configure_failed' && !/with nothing|an error/.test(shape);
        expect(errors.splice(0)).to.have.length(isLogged ? 1 : 0);
        expect(formsOf()).to.equal(0);
        expect(harness.form).to.equal(null);
        expect(eventsOf(harness)).to.deep.equal([
          ...['pay-statechange', 'pay-statechange', 'pay-error'],
        ]);

        relentAll();
        Reflect.deleteProperty(globalThis, server.sdkDescription.global);
        await server.set({ open: [{ status: 200, body: server.openReply() }] });
        await harness.during('idle', () => harness.element.close());
        await harness.during('ready', () => harness.press());
      });
    }
  });

  it('that takes its container away when it is done is not called again', async () => {
    await serve(server, 'object → nothing', {});
    const harness = await PayCheckoutHarness.ready(server);
    document.querySelector('[data-double]')?.parentElement?.remove();
    await nextTask();
    await nextTask();
    expect(formsOf()).to.equal(0);
    await harness.during('paid', () => server.setState('paid'));
  });

  const buttonsOf = ({ element }: PayCheckoutHarness): (string | undefined)[] =>
    [...element.renderRoot.querySelectorAll('button')].map((one) => one.textContent?.trim());
  const WAYS_OUT = ['Show the payment form', 'Cancel payment'];

  describe('that shows nothing, or nothing any more, offers to show it again and to cancel', () => {
    it('a handle whose opening is not described', async () => {
      await serve(server, 'a handle that must be opened', {});
      const harness = await PayCheckoutHarness.place(server, { mode: 'inline' });
      await harness.during('opening', () => harness.press());
      await until(() => buttonsOf(harness).length > 0);
      expect(buttonsOf(harness)).to.deep.equal(WAYS_OUT);
      expect(harness.phase).to.equal('opening');
      expect(harness.count('pay-ready')).to.equal(0);
      await harness.during('idle', () => clickOn(harness, 'Cancel payment'));
      await until(async () => (await server.hints()).includes('cancelled'));
    });

    it('a form that the SDK takes away', async () => {
      await serve(server, 'object → nothing', {});
      const harness = await PayCheckoutHarness.ready(server);
      expect(buttonsOf(harness)).to.deep.equal([]);
      document.querySelector('[data-double]')?.remove();
      await until(() => buttonsOf(harness).length > 0);
      expect(buttonsOf(harness)).to.deep.equal(WAYS_OUT);
      clickOn(harness, 'Show the payment form');
      await until(() => formsOf() === 1);
      await until(() => buttonsOf(harness).length === 0);
      expect(harness.phase).to.equal('ready');
      expect(await server.opens()).to.have.length(1);
    });

    it('a popup that the shopper closes', async () => {
      await serve(server, 'a popup', { container: 'none' });
      const harness = await PayCheckoutHarness.ready(server);
      (globalOf('_popup') as Window).close();
      await until(() => buttonsOf(harness).length > 0);
      expect(buttonsOf(harness)).to.deep.equal(WAYS_OUT);
      clickOn(harness, 'Show the payment form');
      await until(() => !(globalOf('_popup') as Window).closed);
      await harness.during('idle', () => harness.element.close());
    });
  });

  it('an answer’s field is the hint that the description says, and not a form that is shown', async () => {
    const answers = { status: { cancelled: 'cancelled' } } as const;
    await serve(server, 'a popup, and an answer when it closes', { container: 'none', answers });
    const harness = await PayCheckoutHarness.ready(server);
    expect(await server.hints()).not.to.include('cancelled');
    (globalOf('_popup') as Window).close();
    await until(async () => (await server.hints()).includes('cancelled'));
    await harness.during('cancelled', () => server.setState('cancelled'));
    expect(harness.count('pay-ready')).to.equal(1);
  });

  it('a form at the end of the page goes before configure() has answered', async () => {
    const answers = { status: { cancelled: 'cancelled' } } as const;
    const shape = 'draws at the end of the page, and answers when it is over';
    await serve(server, shape, { container: 'none', answers });
    const harness = await PayCheckoutHarness.ready(server);
    expect(formsOf()).to.equal(1);
    await harness.during('idle', () => harness.element.close());
    expect(formsOf()).to.equal(0);
  });

  it('a form is ready when it is drawn, and not when configure() answers or when it is late', async () => {
    relentAll();
    await serve(server, 'mounts and never answers', {});
    const harness = await PayCheckoutHarness.place(server);
    const metric = new Promise<number>((resolve) => {
      harness.element.addEventListener('pay-metric', ({ name, duration }) => {
        if (name === 'ready') resolve(duration);
      });
    });
    await harness.during('ready', () => harness.press());
    expect(await metric).to.be.below(3000);
  });

  it('a popup is closed with its form', async () => {
    await serve(server, 'a popup', { container: 'none' });
    const harness = await PayCheckoutHarness.ready(server);
    const popup = globalOf('_popup') as Window;
    expect(popup.closed).to.equal(false);
    await harness.during('idle', () => harness.element.close());
    await until(() => popup.closed);
  });

  describe('that leaves the page', () => {
    for (const shape of ['navigates, and answers nothing', 'navigates, and never answers']) {
      it(`${shape}: no error while it goes, and never a form that is not there`, async () => {
        await serve(server, shape, { container: 'none', navigates: true });
        const tab = await Tab.open(server);
        tab.element.mode = 'inline';
        const phases: Phase[] = [];
        tab.element.addEventListener('pay-statechange', ({ phase }) => phases.push(phase));
        const left = new Promise((resolve) => tab.page.addEventListener('pagehide', resolve));
        tab.element.start();
        await left;
        expect(phases).to.deep.equal(['opening']);
        await until(() => tab.page.document.title === 'Payment page');
        tab.close();
      });
    }
  });

  describe('of which a page has more than one', () => {
    interface Called {
      configure(given: object): unknown;
    }
    async function addTag(url: string): Promise<void> {
      const script = document.createElement('script');
      script.src = url;
      document.head.append(script);
      await new Promise((resolve) => (script.onload = resolve));
    }

    it('a form of the page’s own stays apart from that of the element', async () => {
      const { url } = await serve(server, 'object → promise of a handle', {});
      await addTag(url);
      (globalOf() as Called).configure({ session_id: 'own', container: cardForm });
      const harness = await PayCheckoutHarness.ready(server);
      expect(formsOf()).to.equal(2);
      await harness.during('paid', () => server.setState('paid'));
      expect(formsOf()).to.equal(1);
      expect(cardForm.childElementCount).to.equal(1);
    });

    it('a script that the page loaded is not loaded again', async () => {
      const { url } = await serve(server, 'object → promise of a handle', {});
      await addTag(url);
      await PayCheckoutHarness.ready(server);
      expect([...document.scripts].filter(({ src }) => src === url)).to.have.length(1);
    });

    it('a script that the page loads again, under the form, leaves the form alone', async () => {
      const { url } = await serve(server, 'object → promise of a handle', {});
      const harness = await PayCheckoutHarness.ready(server);
      await addTag(url);
      await addTag(url);
      expect(harness.phase).to.equal('ready');
      await harness.during('idle', () => harness.element.close());
      expect(formsOf()).to.equal(0);
      await harness.during('ready', () => harness.press());
      expect(formsOf()).to.equal(1);
    });

    it('a second form of an SDK that shows one at a time is refused with a message', async () => {
      await serve(server, 'one form at a time', {});
      const first = await PayCheckoutHarness.ready(server);
      const second = await PayCheckoutHarness.place(server, { order: 'A1002' });
      await second.during('problem', () => second.press());
      expect(second.notice).to.contain('sdk_configure_failed');
      expect(first.phase).to.equal('ready');
      await first.during('idle', () => first.element.close());
      await second.during('ready', () => second.press());
    });
  });
});
