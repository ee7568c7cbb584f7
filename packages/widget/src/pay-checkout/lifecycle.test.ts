import { expect } from '@open-wc/testing';
import { FORM_WITHIN_MS, PREPARED_WITHIN_MS } from '../flow/flow-controller.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { forbid, nextTask, until } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import type { PayCheckout } from './pay-checkout.js';

/** Not in every browser yet. */
interface Mover {
  moveBefore(node: Node, child: Node | null): void;
}

describe('<pay-checkout> in a page that changes', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

  it('moved with moveBefore() keeps the form as it is', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const { form } = harness;
    const place = document.createElement('div');
    document.body.append(place);
    (place as unknown as Mover).moveBefore(harness.element, null);
    await harness.element.updateComplete;
    expect(harness.element.parentElement).to.equal(place);
    expect(harness.form).to.equal(form);
    expect(harness.phase).to.equal('ready');
    expect(world.sdk.calls).to.have.length(1);
    await harness.during('paid', () => world.tell('paid'));
    place.remove();
  });

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
    element.autostart = true;
    await element.updateComplete;
    expect(element.hasAttribute('autostart')).to.equal(true);
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

  it('in a shadow root speaks the language of the page', () => {
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
    await until(() => {
      (globalThis as unknown as { gc(): void }).gc();
      return watched.filter((element) => element.deref()).length <= 2;
    });
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

  it('another order in the tag is another payment', async () => {
    const harness = await PayCheckoutHarness.ready(world);
    const other = world.openReply({ checkout: crypto.randomUUID(), sessionId: 'other' });
    await world.write({ open: [{ status: 200, body: other }] });
    await harness.during('ready', () => (harness.element.order = 'A1002'));
    const [, second] = await world.opens();
    expect(second?.body).to.include({ order: 'A1002' });
    expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
    expect(world.sdk.destroyed).to.equal(1);
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
