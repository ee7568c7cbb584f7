import { expect } from '@open-wc/testing';
import type { OpenCheckoutReply } from '@pay-checkout/session-server/contract';
import { FORM_WITHIN_MS, PREPARED_WITHIN_MS } from '../flow/flow-controller.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { EVERY_PHASE } from '../testing/every-phase.js';
import { forbid, nextTask, until } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import type { PayCheckout } from './pay-checkout.js';

describe('<pay-checkout> in a page that changes', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

  it('moved as usual draws the same session again, and opens nothing', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const place = document.createElement('div');
    document.body.append(place);
    place.append(harness.element);
    await until(() => world.sdk.calls.length === 2);
    expect(world.sdk.destroyed).to.equal(1);
    expect(await world.opens()).to.have.length(1);
    expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
    place.remove();
  });

  describe('before it is drawn for the first time', () => {
    let resume: (() => void) | undefined;
    const stopClock = (wait = PREPARED_WITHIN_MS): unknown => (resume = forbid(window, wait));
    afterEach(() => resume?.());
    const isDrawn = (): boolean =>
      document.querySelector('pay-checkout')?.shadowRoot?.childElementCount !== 0;

    it('waits for the configuration, which says more of what there is to draw', async () => {
      stopClock();
      await world.write({ holdConfig: true });
      const placed = PayCheckoutHarness.place(world);
      await until(async () => (await world.seen('GET', /checkout-config$/)).length === 1);
      expect(isDrawn()).to.equal(false);
      await world.write({ holdConfig: false });
      const { badge } = await placed;
      expect(badge).not.to.equal(null);
    });

    it('does not wait for one that is late, and draws what it says when it comes', async () => {
      await world.write({ holdConfig: true });
      const harness = await PayCheckoutHarness.place(world);
      expect(harness.button).not.to.equal(null);
      expect(harness.badge).to.equal(null);
      await world.write({ holdConfig: false });
      await until(() => harness.badge !== null);
    });

    it('does not wait for one that cannot be had', async () => {
      stopClock();
      await world.write({ config: { status: 404, body: {} } });
      const harness = await PayCheckoutHarness.place(world);
      expect(harness.button).not.to.equal(null);
    });

    it('waits for nothing where no configuration is asked for', async () => {
      stopClock();
      const harness = await PayCheckoutHarness.place(world, { mode: 'redirect' });
      expect(harness.button).not.to.equal(null);
      expect(await world.seen('GET', /checkout-config$/)).to.have.length(0);
    });

    it('asks for the session with autostart, and is drawn with its form', async () => {
      stopClock(FORM_WITHIN_MS);
      await world.write({ holdOpen: true });
      const placed = PayCheckoutHarness.place(world, { autostart: true });
      await until(() => 'configure' in (world.sdk ?? {}));
      await until(async () => (await world.opens()).length === 1);
      expect(isDrawn()).to.equal(false);
      await world.write({ holdOpen: false });
      const harness = await placed;
      await harness.reaches('ready');
      expect(harness.form).not.to.equal(null);
      expect(harness.button).to.equal(null);
    });

    it('gives the form its place before the SDK draws it', async () => {
      stopClock(FORM_WITHIN_MS);
      const widths: number[] = [];
      const adapter: SdkAdapter = {
        load: () => Promise.resolve(),
        open: ({ container }) => {
          widths.push(container.getBoundingClientRect().width);
          return Promise.resolve();
        },
      };
      const harness = await PayCheckoutHarness.place(world, { autostart: true, adapter });
      await harness.reaches('ready');
      expect(widths).to.have.length(1);
      expect(widths[0]).to.be.above(100);
    });

    it('tells of a form that is late', async () => {
      await world.write({ holdOpen: true });
      const harness = await PayCheckoutHarness.place(world, { autostart: true });
      expect(harness.announcement).to.equal('Opening the checkout.');
      expect(harness.button).to.equal(null);
      await world.write({ holdOpen: false });
      await harness.reaches('ready');
    });

    it('does not wait for a form that cannot come', async () => {
      stopClock(FORM_WITHIN_MS);
      await world.write({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
      const harness = await PayCheckoutHarness.place(world, { autostart: true });
      await harness.reaches('problem');
      expect(harness.notice).to.contain('order_not_found');
    });
  });

  it('copied with its form is a tag of its own, without the form', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const holder = harness.element.parentElement?.cloneNode(true) as HTMLElement;
    const copy = holder.querySelector('pay-checkout') as PayCheckout;
    copy.orderToken = harness.element.orderToken;
    document.body.append(holder);
    await copy.updateComplete;
    expect(copy.querySelector('[slot="form"]')).to.equal(null);
    expect(copy.matches(':state(idle)')).to.equal(true);
    expect(copy.order).to.equal('A1001');
    expect(harness.form).not.to.equal(null);
    await new PayCheckoutHarness(copy, world).during('ready', () => copy.start());
    expect(await world.opens()).to.have.length(2);
    for (const one of [harness.element, copy]) {
      expect(one.querySelectorAll('[slot="form"]')).to.have.length(1);
    }
    holder.remove();
  });

  it('attributes and properties agree both ways', async () => {
    const { element } = await PayCheckoutHarness.place(world);
    const pairs = {
      merchant: 'merchant',
      order: 'order',
      server: 'server',
      mode: 'mode',
      locale: 'locale',
      theme: 'theme',
      returnParam: 'return-param',
    } as const;
    const values = { mode: 'inline', theme: 'dark', server: world.server, locale: 'de' } as const;
    for (const [property, attribute] of Object.entries(pairs)) {
      const value = values[property as keyof typeof values] ?? 'x-1';
      Object.assign(element, { [property]: value });
      await element.updateComplete;
      expect(element.getAttribute(attribute), attribute).to.equal(value);
      element.removeAttribute(attribute);
      expect(element[property as keyof typeof pairs], property).to.equal(null);
      element.setAttribute(attribute, value);
      expect(element[property as keyof typeof pairs], property).to.equal(value);
    }
    for (const autostart of [true, false]) {
      element.autostart = autostart;
      await element.updateComplete;
      expect(element.hasAttribute('autostart')).to.equal(autostart);
      element.toggleAttribute('autostart', !autostart);
      expect(element.autostart).to.equal(!autostart);
    }
  });

  it('an order token that code sets is not written into the page', async () => {
    const { element } = await PayCheckoutHarness.place(world);
    expect(element.outerHTML).not.to.contain('c2lnbmF0dXJl');
  });

  it('tells how long things took, as events and as User Timing measures', async () => {
    const heard: string[] = [];
    const hear = ({
      name,
      startTime,
      duration,
    }: GlobalEventHandlersEventMap['pay-metric']): void => {
      expect(startTime).to.be.above(0);
      expect(duration).to.be.at.least(0);
      heard.push(name);
    };
    document.addEventListener('pay-metric', hear);
    const harness = await PayCheckoutHarness.place(world);
    await until(() => heard.includes('loader'));
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => world.tell('paid'));
    document.removeEventListener('pay-metric', hear);
    expect(heard).to.deep.equal(['paint', 'loader', 'session', 'ready', 'outcome']);
    for (const name of heard) {
      const entries = performance.getEntriesByName(`pay-checkout:${name}`, 'measure');
      expect(entries, name).to.have.length(1);
    }
  });

  it('a page that starts over while it hears the outcome has both payments measured', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const heard: string[] = [];
    harness.element.addEventListener('pay-metric', ({ name }) => heard.push(name));
    harness.element.addEventListener('pay-expired', () => harness.element.start());
    await world.write({ open: [{ status: 200, body: world.openReply({ revision: 3 }) }] });
    await harness.during('ready', () => world.tell('expired'));
    expect(heard).to.deep.equal(['outcome', 'session', 'ready']);
  });

  describe('in a shadow root', () => {
    /** An SDK that is given its container; the usual one of a world looks for it. */
    const describeTaking = (): Promise<void> => {
      const { global } = world.sdkDescription;
      const query = new URLSearchParams({ shape: 'takes the element', global });
      const url = `/packages/widget/test-world/sdk-doubles.ts?${query}`;
      const sdk = { ...world.sdkDescription, url, container: 'element' as const };
      const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
      return world.write({
        config: { status: 200, body: config },
        open: [{ status: 200, body: world.openReply({ sdk }) }],
      });
    };
    const placeInShadow = async (): Promise<PayCheckoutHarness> => {
      const harness = await PayCheckoutHarness.place(world);
      const holder = document.createElement('div');
      harness.element.after(holder);
      holder.attachShadow({ mode: 'open' }).append(harness.element);
      await harness.element.updateComplete;
      return harness;
    };

    it('is heard by a listener on the document', async () => {
      await describeTaking();
      const harness = await placeInShadow();
      const heard: string[] = [];
      const hear = (event: Event): unknown => heard.push(event.type);
      const types = ['pay-statechange', 'pay-ready', 'pay-paid'] as const;
      for (const type of types) document.addEventListener(type, hear);
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => world.tell('paid'));
      for (const type of types) document.removeEventListener(type, hear);
      expect(heard).to.deep.equal([
        ...['pay-statechange', 'pay-statechange', 'pay-ready'],
        ...['pay-statechange', 'pay-paid'],
      ]);
    });

    it('an SDK that would look for its container in the document is not called: that is said in words', async () => {
      const harness = await placeInShadow();
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('The payment form could not be shown.');
      expect(harness.notice).to.contain('sdk_place_hidden');
      expect(harness.form?.outerHTML).to.equal(undefined);
      expect(world.sdk.calls).to.deep.equal([]);
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

  it('a thousand tags that come and go leave nothing behind, and open nothing', async function () {
    this.timeout(60_000);
    const watched: WeakRef<PayCheckout>[] = [];
    for (let round = 0; round < 1000; round += 1) {
      const element = document.createElement('pay-checkout');
      Object.assign(element, { merchant: 'corner-shop', order: 'A1001', server: world.server });
      document.body.append(element);
      await element.updateComplete;
      element.remove();
      watched.push(new WeakRef(element));
    }
    expect(document.querySelectorAll('pay-checkout')).to.have.length(0);
    expect(await world.opens()).to.have.length(0);
    expect(await world.polls()).to.have.length(0);
    expect(await world.seen('GET', /sdk\.js$/)).to.have.length.at.most(1);
    // A busy machine's collector may need longer than a page: it has the rest of the test's minute.
    for (let left = watched.length; left > 2; await nextTask()) {
      (globalThis as unknown as { gc(): void }).gc();
      left = watched.filter((element) => element.deref()).length;
    }
  });

  it('connect, disconnect, connect again opens one session', async () => {
    const harness = await PayCheckoutHarness.place(world);
    const { element } = harness;
    const home = element.parentElement;
    await world.write({ holdOpen: true });
    element.start();
    element.remove();
    home?.append(element);
    await nextTask();
    element.remove();
    await nextTask();
    home?.append(element);
    await harness.during('ready', () => world.write({ holdOpen: false }));
    expect(await world.opens()).to.have.length(1);
    expect(harness.form?.childElementCount).to.equal(1);
  });

  it('an autostart that is moved before it is drawn opens one session', async () => {
    const harness = await PayCheckoutHarness.place(world, { autostart: true });
    const home = harness.element.parentElement;
    harness.element.remove();
    home?.append(harness.element);
    await harness.reaches('ready');
    expect(await world.opens()).to.have.length(1);
  });

  it('moving a form draws it again in its new place, with the same session', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const home = harness.element.parentElement;
    harness.element.remove();
    expect(world.sdk.destroyed).to.equal(1);
    expect(harness.element.childElementCount).to.equal(0);
    home?.append(harness.element);
    await until(() => world.sdk.calls.length === 2);
    expect(harness.phase).to.equal('ready');
    expect(harness.form?.childElementCount).to.equal(1);
    expect(await world.opens()).to.have.length(1);
    expect(harness.count('pay-ready')).to.equal(1);
  });

  it('does nothing more for an element that has left the page', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    harness.element.remove();
    const before = harness.events.length;
    await world.tell('paid', 2);
    dispatchEvent(new Event('online'));
    await nextTask();
    expect(harness.events).to.have.length(before);
  });

  describe('in its tag', () => {
    const isOther = { order: 'A1002', merchant: 'tea-shop' } as const;
    const answerOf = (sessionId: string) => ({
      status: 200,
      body: world.openReply({ checkout: crypto.randomUUID(), sessionId }),
    });
    const expectOnlyTheOther = (harness: PayCheckoutHarness): void => {
      expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
      expect(world.sdk.calls.at(-1)).to.include({ session_id: 'other' });
      expect(world.sdk.calls.length - world.sdk.destroyed).to.equal(1);
    };

    for (const [name, value] of Object.entries(isOther)) {
      const change = ({ element }: PayCheckoutHarness): unknown =>
        Object.assign(element, { [name]: value });

      it(`another ${name} is another payment`, async () => {
        const harness = await PayCheckoutHarness.ready(world);
        await world.write({ open: [answerOf('other')] });
        await harness.during('ready', () => change(harness));
        const [, second] = await world.opens();
        expect(second?.body).to.include({ [name]: value });
        expectOnlyTheOther(harness);
      });

      it(`another ${name} while it opens has only its own form drawn`, async () => {
        await world.write({ open: [answerOf('first'), answerOf('other')], holdOpen: true });
        const harness = await PayCheckoutHarness.place(world);
        await harness.during('opening', () => harness.press());
        await until(async () => (await world.opens()).length === 1);
        change(harness);
        await until(async () => (await world.opens()).length === 2);
        await harness.during('ready', () => world.write({ holdOpen: false }));
        const [, second] = await world.opens();
        expect(second?.body).to.include({ [name]: value });
        expect(world.sdk.calls).to.have.length(1);
        expectOnlyTheOther(harness);
      });

      it(`another ${name} while it asks for the address is opened in its place`, async () => {
        const [, reach] = EVERY_PHASE.find(([phase]) => phase === 'address')!;
        const harness = await PayCheckoutHarness.place(world);
        await reach(harness);
        await world.write({ open: [answerOf('other')] });
        await harness.during('ready', () => change(harness));
        expect(harness.element.renderRoot.querySelectorAll('input')).to.have.length(0);
        const [, second, ...more] = await world.opens();
        expect(second?.body).to.include({ [name]: value });
        expect(more).to.deep.equal([]);
        expectOnlyTheOther(harness);
      });
    }

    it('another order does not draw what a late answer names of the one before', async () => {
      const answers: PromiseWithResolvers<OpenCheckoutReply>[] = [];
      const createSession = (): Promise<OpenCheckoutReply> => {
        const answer = Promise.withResolvers<OpenCheckoutReply>();
        answers.push(answer);
        return answer.promise;
      };
      const harness = await PayCheckoutHarness.place(world, { createSession });
      await harness.during('opening', () => harness.press());
      harness.element.order = 'A1002';
      await until(() => answers.length === 2);
      answers[0]?.resolve(answerOf('first').body);
      await nextTask();
      await harness.during('ready', () => answers[1]?.resolve(answerOf('other').body));
      expect(world.sdk.calls).to.have.length(1);
      expectOnlyTheOther(harness);
    });

    it('another token of the same order leaves the form alone, and opens the next time', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const { form } = harness;
      const orderToken = 'A1001.2000000001.bmV3';
      harness.element.orderToken = orderToken;
      await harness.element.updateComplete;
      await nextTask();
      expect(harness.form === form).to.equal(true);
      expect(harness.phase).to.equal('ready');
      expect(await world.opens()).to.have.length(1);
      await harness.during('idle', () => harness.element.close());
      await harness.during('ready', () => harness.press());
      const [, second] = await world.opens();
      expect(second?.body).to.include({ orderToken });
    });
  });

  it('two elements on a page share one script and keep apart', async () => {
    const first = await PayCheckoutHarness.ready(world);
    const second = await PayCheckoutHarness.ready(world);
    expect(await world.seen('GET', /sdk\.js$/)).to.have.length(1);
    const [one, other] = [first, second].map(({ form }) => form?.firstElementChild?.id);
    expect(one).not.to.equal(other);
  });

  it('autostart waits until it is seen', async () => {
    const harness = await PayCheckoutHarness.place(world);
    const far = document.createElement('div');
    far.style.paddingBlockStart = '300vh';
    harness.element.parentElement?.append(far);
    far.append(harness.element);
    harness.element.autostart = true;
    await harness.element.updateComplete;
    await new Promise(requestAnimationFrame);
    expect(await world.opens()).to.have.length(0);
    await harness.during('ready', () => harness.element.scrollIntoView());
    expect(await world.opens()).to.have.length(1);
  });
});
