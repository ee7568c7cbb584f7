import { expect } from '@open-wc/testing';
import type { CreateCheckoutReply } from '@pay-checkout/session-server/contract';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { EVERY_PHASE } from '../testing/every-phase.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import type { PayCheckout } from './pay-checkout.js';

describe('<pay-checkout> in a page that changes', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('moving the element mounts the same session again, and creates nothing', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const place = document.createElement('div');
    document.body.append(place);
    place.append(harness.element);
    await until(() => server.sdk.calls.length === 2);
    expect(server.sdk.destroyed).to.equal(1);
    expect(await server.opens()).to.have.length(1);
    expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
    place.remove();
  });

  describe('while something is late', () => {
    it('shows the pay button without the configuration, and the badge when it comes', async () => {
      await server.set({ holdConfig: true });
      const harness = await PayCheckoutHarness.place(server);
      expect(harness.button).not.to.equal(null);
      expect(harness.badge).to.equal(null);
      await server.set({ holdConfig: false });
      await until(() => harness.badge !== null);
    });

    it('shows the pay button when there is no configuration', async () => {
      await server.set({ config: { status: 404, body: {} } });
      const harness = await PayCheckoutHarness.place(server);
      expect(harness.button).not.to.equal(null);
    });

    it('requests no configuration for a payment on the hosted page', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'redirect' });
      expect(harness.button).not.to.equal(null);
      expect(await server.seen('GET', /checkout-config$/)).to.have.length(0);
    });

    it('with autostart announces that the checkout opens, and never shows a pay button', async () => {
      await server.set({ holdOpen: true });
      const harness = await PayCheckoutHarness.place(server, { autostart: true });
      expect(harness.button).to.equal(null);
      await harness.reaches('opening');
      expect(harness.announcement).to.equal('Opening the checkout.');
      expect(harness.button).to.equal(null);
      await server.set({ holdOpen: false });
      await harness.reaches('ready');
      expect(harness.button).to.equal(null);
    });

    it('gives the form its place before the SDK mounts it', async () => {
      const widths: number[] = [];
      const adapter: SdkAdapter = {
        load: () => Promise.resolve(),
        open: ({ container }) => {
          widths.push(container.getBoundingClientRect().width);
          return Promise.resolve();
        },
      };
      const harness = await PayCheckoutHarness.place(server, { autostart: true, adapter });
      await harness.reaches('ready');
      expect(widths).to.have.length(1);
      expect(widths[0]).to.be.above(100);
    });
  });

  it('copied with its form is a tag of its own, without the form', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const holder = harness.element.parentElement?.cloneNode(true) as HTMLElement;
    const copy = holder.querySelector('pay-checkout') as PayCheckout;
    const { merchant, order, orderToken } = harness.element;
    Object.assign(copy, { merchant, order, orderToken, server: server.url });
    document.body.append(holder);
    await copy.updateComplete;
    expect(copy.querySelector('[slot="form"]')).to.equal(null);
    expect(copy.matches(':state(idle)')).to.equal(true);
    expect(harness.form).not.to.equal(null);
    await new PayCheckoutHarness(copy, server).during('ready', () => copy.start());
    expect(await server.opens()).to.have.length(2);
    for (const one of [harness.element, copy]) {
      expect(one.querySelectorAll('[slot="form"]')).to.have.length(1);
    }
    holder.remove();
  });

  it('attributes set properties, and properties write no attributes', async () => {
    const { element } = await PayCheckoutHarness.place(server);
    const pairs = {
      merchant: 'merchant',
      order: 'order',
      mode: 'mode',
      locale: 'locale',
      theme: 'theme',
      returnParam: 'return-param',
    } as const;
    const values = { mode: 'inline', theme: 'dark', locale: 'de' } as const;
    for (const [property, attribute] of Object.entries(pairs)) {
      const value = values[property as keyof typeof values] ?? 'x-1';
      Object.assign(element, { [property]: value });
      await element.updateComplete;
      expect(element.hasAttribute(attribute), attribute).to.equal(false);
      element.setAttribute(attribute, 'x-2');
      expect(element[property as keyof typeof pairs], property).to.equal('x-2');
      element.removeAttribute(attribute);
      expect(element[property as keyof typeof pairs], property).to.equal(null);
    }
    for (const autostart of [true, false]) {
      element.toggleAttribute('autostart', autostart);
      expect(element.autostart).to.equal(autostart);
      element.autostart = !autostart;
      await element.updateComplete;
      expect(element.hasAttribute('autostart')).to.equal(autostart);
    }
  });

  it('an order token that code sets is not written into the page', async () => {
    const { element } = await PayCheckoutHarness.place(server);
    expect(element.outerHTML).not.to.contain('c2lnbmF0dXJl');
  });

  it('reports durations as events and as User Timing measures', async () => {
    const received: string[] = [];
    const onMetric = ({
      name,
      startTime,
      duration,
    }: GlobalEventHandlersEventMap['pay-metric']): void => {
      expect(startTime).to.be.above(0);
      expect(duration).to.be.at.least(0);
      received.push(name);
    };
    document.addEventListener('pay-metric', onMetric);
    const harness = await PayCheckoutHarness.place(server);
    await until(() => received.includes('loader'));
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => server.setState('paid'));
    document.removeEventListener('pay-metric', onMetric);
    expect(received).to.deep.equal(['paint', 'loader', 'session', 'ready', 'outcome']);
    for (const name of received) {
      const entries = performance.getEntriesByName(`pay-checkout:${name}`, 'measure');
      expect(entries, name).to.have.length(1);
    }
  });

  it('a page that starts again in a listener of the outcome has both payments measured', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const received: string[] = [];
    // The script is measured once, whenever the tag has it: after the form, if its preview was slow.
    harness.element.addEventListener('pay-metric', ({ name }) => {
      if (name !== 'loader') received.push(name);
    });
    harness.element.addEventListener('pay-expired', () => harness.element.start());
    await server.set({ open: [{ status: 200, body: server.openReply({ revision: 3 }) }] });
    await harness.during('ready', () => server.setState('expired'));
    expect(received).to.deep.equal(['outcome', 'session', 'ready']);
  });

  describe('in a shadow root', () => {
    /** An SDK that takes its container as an element. The default one finds it by selector. */
    const describeTaking = (): Promise<void> => {
      const { global } = server.sdkDescription;
      const query = new URLSearchParams({ shape: 'takes the element', global });
      const url = `/packages/widget/test-server/sdk-doubles.ts?${query}`;
      const sdk = { ...server.sdkDescription, url, container: 'element' as const };
      const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
      return server.set({
        config: { status: 200, body: config },
        open: [{ status: 200, body: server.openReply({ sdk }) }],
      });
    };
    const placeInShadow = async (): Promise<PayCheckoutHarness> => {
      const harness = await PayCheckoutHarness.place(server);
      const holder = document.createElement('div');
      harness.element.after(holder);
      holder.attachShadow({ mode: 'open' }).append(harness.element);
      await harness.element.updateComplete;
      return harness;
    };

    it('reaches a listener on the document', async () => {
      await describeTaking();
      const harness = await placeInShadow();
      const received: string[] = [];
      const onMetric = (event: Event): unknown => received.push(event.type);
      const types = ['pay-statechange', 'pay-ready', 'pay-paid'] as const;
      for (const type of types) document.addEventListener(type, onMetric);
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => server.setState('paid'));
      for (const type of types) document.removeEventListener(type, onMetric);
      expect(received).to.deep.equal([
        ...['pay-statechange', 'pay-statechange', 'pay-ready'],
        ...['pay-statechange', 'pay-paid'],
      ]);
    });

    it('an SDK that would search the document for its container is not called: the element shows why', async () => {
      const harness = await placeInShadow();
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('The payment form could not be shown.');
      expect(harness.notice).to.contain('sdk_place_hidden');
      expect(harness.form?.outerHTML).to.equal(undefined);
      expect(server.sdk.calls).to.deep.equal([]);
      expect(harness.button?.textContent?.trim()).to.equal('Try again');
    });

    it('speaks the language of the page', () => {
      const { documentElement, body } = document;
      const { lang } = documentElement;
      documentElement.lang = 'cy';
      const holder = document.createElement('div');
      body.append(holder);
      const element = document.createElement('pay-checkout');
      holder.attachShadow({ mode: 'open' }).append(element);
      expect(element.language).to.equal('cy');
      documentElement.lang = lang;
      holder.remove();
    });
  });

  describe('tags that come and go', () => {
    const place = (): PayCheckout => {
      const element = document.createElement('pay-checkout');
      Object.assign(element, { merchant: 'corner-shop', order: 'A1001', server: server.url });
      element.locale = locale;
      document.body.append(element);
      return element;
    };
    let locale = 'en';
    afterEach(() => (locale = 'en'));
    /** In a task of its own: in the middle of a call, what lies on the stack counts as a reference. */
    const gc = (): Promise<void> =>
      (globalThis as unknown as { gc(options: object): Promise<void> }).gc({
        type: 'major',
        execution: 'async',
      });
    const areRetained = (tags: readonly WeakRef<PayCheckout>[]): boolean =>
      tags.some((tag) => tag.deref());

    it('leave nothing behind and open nothing, however many they are', async function () {
      this.timeout(60_000);
      const comeAndGo = async (): Promise<WeakRef<PayCheckout>> => {
        const element = place();
        await element.updateComplete;
        element.remove();
        return new WeakRef(element);
      };
      const tags: WeakRef<PayCheckout>[] = [];
      while (tags.length < 1000) tags.push(await comeAndGo());
      expect(document.querySelectorAll('pay-checkout')).to.have.length(0);
      expect(await server.opens()).to.have.length(0);
      expect(await server.polls()).to.have.length(0);
      expect(await server.seen('GET', /sdk\.js$/)).to.have.length.at.most(1);
      while (areRetained(tags)) await gc();
    });

    for (const [what, path] of [
      ['configuration', /checkout-config$/],
      ['SDK', /sdk\.js$/],
      ['words', /languages\/de$/],
    ] as const) {
      it(`are not retained by a request for the ${what} that is not answered`, async () => {
        if (what === 'words') locale = 'de';
        const held = { hasLanguages: true, holdLanguages: what === 'words' } as const;
        await server.set(what === 'SDK' ? { sdk: 'silent' } : { ...held, holdConfig: true });
        const comeAndGo = async (): Promise<WeakRef<PayCheckout>[]> => {
          const elements = Array.from({ length: 20 }, place);
          await until(async () => (await server.seen('GET', path)).length === 1);
          for (const element of elements) element.remove();
          return elements.map((element) => new WeakRef(element));
        };
        // The request does not give up either.
        const real = AbortSignal.timeout.bind(AbortSignal);
        AbortSignal.timeout = () => new AbortController().signal;
        const tags = await comeAndGo();
        AbortSignal.timeout = real;
        while (areRetained(tags)) await gc();
        await server.set({ sdk: 'fine', holdConfig: false, holdLanguages: false });
      });
    }
  });

  it('connect, disconnect, connect again opens one session', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const { element } = harness;
    const home = element.parentElement;
    await server.set({ holdOpen: true });
    element.start();
    element.remove();
    home?.append(element);
    await nextTask();
    element.remove();
    await nextTask();
    home?.append(element);
    await harness.during('ready', () => server.set({ holdOpen: false }));
    expect(await server.opens()).to.have.length(1);
    expect(harness.form?.childElementCount).to.equal(1);
  });

  it('an autostart element that is moved before its first render opens one session', async () => {
    const harness = await PayCheckoutHarness.place(server, { autostart: true });
    const home = harness.element.parentElement;
    harness.element.remove();
    home?.append(harness.element);
    await harness.reaches('ready');
    expect(await server.opens()).to.have.length(1);
  });

  it('moving a form mounts it again in its new place, with the same session', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const home = harness.element.parentElement;
    harness.element.remove();
    expect(server.sdk.destroyed).to.equal(1);
    expect(harness.element.childElementCount).to.equal(0);
    home?.append(harness.element);
    await until(() => server.sdk.calls.length === 2);
    expect(harness.phase).to.equal('ready');
    expect(harness.form?.childElementCount).to.equal(1);
    expect(await server.opens()).to.have.length(1);
    expect(harness.count('pay-ready')).to.equal(1);
  });

  it('does nothing more for an element that has left the page', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    harness.element.remove();
    const before = harness.events.length;
    await server.setState('paid', 2);
    dispatchEvent(new Event('online'));
    await nextTask();
    expect(harness.events).to.have.length(before);
  });

  describe('in its tag', () => {
    const isOther = { order: 'A1002', merchant: 'tea-shop' } as const;
    const answerOf = (sessionId: string) => ({
      status: 200,
      body: server.openReply({ checkout: crypto.randomUUID(), sessionId }),
    });
    const expectOnlyTheOther = (harness: PayCheckoutHarness): void => {
      expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
      expect(server.sdk.calls.at(-1)).to.include({ session_id: 'other' });
      expect(server.sdk.calls.length - server.sdk.destroyed).to.equal(1);
    };

    for (const [name, value] of Object.entries(isOther)) {
      const change = ({ element }: PayCheckoutHarness): unknown =>
        Object.assign(element, { [name]: value });

      it(`another ${name} is another payment`, async () => {
        const harness = await PayCheckoutHarness.ready(server);
        await server.set({ open: [answerOf('other')] });
        await harness.during('ready', () => change(harness));
        const [, second] = await server.opens();
        expect(second?.body).to.include({ [name]: value });
        expectOnlyTheOther(harness);
      });

      it(`another ${name} while it opens mounts its own form only`, async () => {
        await server.set({ open: [answerOf('first'), answerOf('other')], holdOpen: true });
        const harness = await PayCheckoutHarness.place(server);
        await harness.during('opening', () => harness.press());
        await until(async () => (await server.opens()).length === 1);
        change(harness);
        await until(async () => (await server.opens()).length === 2);
        await harness.during('ready', () => server.set({ holdOpen: false }));
        const [, second] = await server.opens();
        expect(second?.body).to.include({ [name]: value });
        expect(server.sdk.calls).to.have.length(1);
        expectOnlyTheOther(harness);
      });

      it(`another ${name} while it requires an address is opened in its place`, async () => {
        const [, reach] = EVERY_PHASE.find(([phase]) => phase === 'address')!;
        const harness = await PayCheckoutHarness.place(server);
        await reach(harness);
        await server.set({ open: [answerOf('other')] });
        await harness.during('ready', () => change(harness));
        expect(harness.element.renderRoot.querySelectorAll('input')).to.have.length(0);
        const [, second, ...more] = await server.opens();
        expect(second?.body).to.include({ [name]: value });
        expect(more).to.deep.equal([]);
        expectOnlyTheOther(harness);
      });
    }

    it('another order shows nothing of a late answer about the previous one', async () => {
      const answers: PromiseWithResolvers<CreateCheckoutReply>[] = [];
      const createSession = (): Promise<CreateCheckoutReply> => {
        const answer = Promise.withResolvers<CreateCheckoutReply>();
        answers.push(answer);
        return answer.promise;
      };
      const harness = await PayCheckoutHarness.place(server, { createSession });
      await harness.during('opening', () => harness.press());
      harness.element.order = 'A1002';
      await until(() => answers.length === 2);
      answers[0]?.resolve(answerOf('first').body);
      await nextTask();
      await harness.during('ready', () => answers[1]?.resolve(answerOf('other').body));
      expect(server.sdk.calls).to.have.length(1);
      expectOnlyTheOther(harness);
    });

    it('another token of the same order leaves the form alone, and opens the next time', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const { form } = harness;
      const orderToken = 'A1001.2000000001.bmV3';
      harness.element.orderToken = orderToken;
      await harness.element.updateComplete;
      await nextTask();
      expect(harness.form === form).to.equal(true);
      expect(harness.phase).to.equal('ready');
      expect(await server.opens()).to.have.length(1);
      await harness.during('idle', () => harness.element.close());
      await harness.during('ready', () => harness.press());
      const [, second] = await server.opens();
      expect(second?.body).to.include({ orderToken });
    });
  });

  it('two elements on a page share one script and keep apart', async () => {
    const first = await PayCheckoutHarness.ready(server);
    const second = await PayCheckoutHarness.ready(server);
    expect(await server.seen('GET', /sdk\.js$/)).to.have.length(1);
    const [one, other] = [first, second].map(({ form }) => form?.firstElementChild?.id);
    expect(one).not.to.equal(other);
  });

  it('autostart waits until it is seen', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const far = document.createElement('div');
    far.style.paddingBlockStart = '300vh';
    harness.element.parentElement?.append(far);
    far.append(harness.element);
    harness.element.autostart = true;
    await harness.element.updateComplete;
    await new Promise(requestAnimationFrame);
    expect(await server.opens()).to.have.length(0);
    await harness.during('ready', () => harness.element.scrollIntoView());
    expect(await server.opens()).to.have.length(1);
  });
});
