import { expect } from '@open-wc/testing';
import { en } from '../labels/en.js';
import { collectReportedErrors } from '../testing/reported-errors.js';
import { until } from '../testing/until.js';
import { checkoutId, TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout> after a card was sent', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  /** An element whose shopper has just submitted a card, without a decline. */
  async function send(changes?: Parameters<typeof PayCheckoutHarness.ready>[1]) {
    const harness = await PayCheckoutHarness.ready(server, changes);
    server.sdk.calls[0]?.onSubmit?.();
    return harness;
  }

  /** Waits until the element has received revision 2. */
  const isHeard = (): Promise<void> =>
    until(async () => (await server.polls()).some(({ query }) => query.includes(':2&')));

  it('the card says so above its form, which stays, until a decline', async () => {
    const harness = await send();
    await harness.element.updateComplete;
    expect(harness.announcement).to.equal(en.submitted);
    const status = harness.element.renderRoot.querySelector('[role="status"]');
    const order = status?.compareDocumentPosition(
      harness.element.renderRoot.querySelector('slot[name="form"]') as Node,
    );
    expect(order).to.equal(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(harness.form?.textContent).to.equal('Card number');
    server.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    expect(harness.announcement).to.equal('');
    expect(harness.notice).to.equal(en.declined);
  });

  it('a session that ends under the form does not start another: the phase is confirming', async () => {
    const harness = await send();
    await harness.during('confirming', () => server.sdk.calls[0]?.onRefuse?.());
    expect(harness.announcement).to.equal(en.phases.confirming);
    expect(harness.reference).to.contain(server.checkout.slice(0, 8));
    expect(harness.button).to.equal(null);
    expect(harness.form).to.equal(null);
    expect(harness.count('pay-error')).to.equal(0);
    harness.element.start();
    harness.element.retry();
    await harness.during('paid', () => server.setState('paid'));
    expect(await server.opens()).to.have.length(1);
  });

  it('a session that expires at once is reported after the card, and another form follows both', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await server.set({ holdHints: true });
    server.sdk.calls[0]?.onSubmit?.();
    server.sdk.calls[0]?.onExpire?.();
    await until(async () => (await server.hints()).includes('submitted'));
    // A request that is not held back comes after all that the element has sent.
    await server.set({});
    expect(await server.hints()).not.to.include('expired');
    expect(await server.opens()).to.have.length(1);
    await server.set({ holdHints: false });
    await until(async () => (await server.opens()).length === 2);
    expect(await server.hints()).to.include('expired');
    await until(() => harness.form !== null);
  });

  for (const [what, leave] of [
    ['closing it', (harness) => harness.element.close()],
    [
      'Escape out of the overlay',
      ({ element }) =>
        element.renderRoot.querySelector('dialog')?.dispatchEvent(new Event('cancel')),
    ],
  ] satisfies [string, (harness: PayCheckoutHarness) => unknown][]) {
    it(`${what} cancels nothing: only the server’s state leads on`, async () => {
      const harness = await send({ mode: 'overlay' });
      await until(async () => (await server.hints()).length === 2);
      await harness.during('confirming', () => leave(harness));
      expect(harness.button).to.equal(null);
      const sessionId = `session-${server.id}`;
      await until(async () => (await server.hints()).length === 3);
      expect(await server.hintBodies()).to.have.deep.members([
        { kind: 'submitted', sessionId },
        { kind: 'shown', sessionId },
        { kind: 'shown', sessionId },
      ]);
      await harness.during('left', () => server.setState('left'));
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
    });
  }

  it('a form that cannot be mounted again, because its card is submitted, does not start another session', async () => {
    const harness = await send();
    const home = harness.element.parentElement;
    server.sdk.fails = 1;
    const { errors, restore } = collectReportedErrors();
    harness.element.remove();
    await harness.during('confirming', () => home?.append(harness.element));
    expect(harness.button).to.equal(null);
    expect(errors).to.have.length(1);
    restore();
  });

  it('a checkout that was open for too long keeps its form: the card may be with the bank', async () => {
    const harness = await send();
    await server.setState('expired');
    await isHeard();
    expect(harness.phase).to.equal('ready');
    expect(harness.form).not.to.equal(null);
    expect(harness.button).to.equal(null);
    await harness.during('confirming', () => server.sdk.calls[0]?.onRefuse?.());
    await harness.during('paid', () => server.setState('paid', 3));
    expect(harness.events).not.to.include('pay-expired');
  });

  it('so does one that is opened elsewhere in the meantime', async () => {
    const harness = await send();
    await harness.during('confirming', () => harness.element.close());
    await server.setState('open');
    await isHeard();
    expect(harness.phase).to.equal('confirming');
    expect(harness.button).to.equal(null);
  });

  it('stays confirming for as long as the server says so, and then offers to pay in the same session', async () => {
    const harness = await send();
    await harness.during('confirming', () => harness.element.close());
    await server.set({ status: { ...server.status({ submitted: true, revision: 2 }) } });
    await isHeard();
    expect(harness.phase).to.equal('confirming');
    await harness.during('idle', () => server.setState('open', 3));
    expect(harness.announcement).to.equal(en.notFound);
    expect(harness.element.matches(':state(notFound)')).to.equal(true);
    await harness.during('ready', () => harness.press());
    const [, second] = await server.opens();
    expect(second?.body).not.to.have.property('renew');
  });

  it('the form that stays is a plain one again once the server found no payment', async () => {
    const harness = await send();
    await server.set({ status: { ...server.status({ submitted: true, revision: 2 }) } });
    await isHeard();
    await harness.element.updateComplete;
    expect(harness.announcement).to.equal(en.submitted);
    await server.setState('open', 3);
    await until(() => harness.announcement === '');
    expect(harness.phase).to.equal('ready');
  });

  it('has a quieter way back to the form, where a challenge may be open', async () => {
    const harness = await send();
    await harness.during('confirming', () => harness.element.close());
    const submitted = server.openReply({ submitted: true, revision: 2 });
    await server.set({ open: [{ status: 200, body: submitted }] });
    expect(harness.secondary?.textContent?.trim()).to.equal(en.buttons.resume);
    expect(harness.button).to.equal(null);
    await harness.during('ready', () => harness.secondary?.click());
    expect(harness.announcement).to.equal(en.submitted);
    expect(await server.opens()).to.have.length(2);
    server.sdk.calls[1]?.onDecline?.();
    await harness.element.updateComplete;
    expect(harness.notice).to.equal(en.declined);
  });

  it('a hint of it that is lost is repeated until the server has it', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await until(async () => (await server.hints()).includes('shown'));
    await server.set({ faults: { hints: 2 } });
    server.sdk.calls[0]?.onSubmit?.();
    await harness.element.updateComplete;
    const submitted = async () => (await server.hints()).filter((kind) => kind === 'submitted');
    await until(async () => (await submitted()).length === 3);
  });

  it('a decline keeps its form while the server has heard of the card only', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await server.set({ holdHints: true });
    server.sdk.calls[0]?.onSubmit?.();
    server.sdk.calls[0]?.onDecline?.();
    const countPolls = async () => (await server.polls()).length;
    const before = await countPolls();
    await server.set({ status: { ...server.status({ submitted: true, revision: 2 }) } });
    await until(async () => (await countPolls()) > before + 1);
    expect(harness.phase).to.equal('ready');
    expect(harness.notice).to.equal(en.declined);
    await server.set({ status: { ...server.status({ revision: 3 }) }, holdHints: false });
    await until(async () => (await server.polls()).some(({ query }) => query.includes(':3&')));
    expect(harness.phase).to.equal('ready');
    expect(harness.notice).to.equal(en.declined);
  });

  it('a form that was brought back says nothing of the card when its session is expired', async () => {
    const harness = await send();
    await harness.during('confirming', () => harness.element.close());
    const submitted = server.openReply({ submitted: true, revision: 2 });
    await server.set({ open: [{ status: 200, body: submitted }] });
    await harness.during('ready', () => harness.secondary?.click());
    await harness.during('confirming', () => server.sdk.calls[1]?.onExpire?.());
    expect(harness.announcement).to.equal(en.phases.confirming);
    await until(async () => (await server.hints()).includes('refused'));
    expect(await server.hints()).not.to.include('expired');
    expect(await server.opens()).to.have.length(2);
  });

  it('a session that the SDK says is expired is replaced at once, and nothing is said of money', async () => {
    const harness = await send();
    const fresh = server.openReply({ sessionId: 'session-2', revision: 2 });
    await server.set({ open: [{ status: 200, body: fresh }] });
    await harness.during('opening', () => server.sdk.calls[0]?.onExpire?.());
    await harness.reaches('ready');
    expect(harness.announcement).to.equal(en.renewed);
    const [, second] = await server.opens();
    expect(second?.body).to.include({ renew: `session-${server.id}` });
    expect(await server.hints()).to.include('expired');
    expect(harness.count('pay-error')).to.equal(0);
  });

  it('one that a later page of the order submitted takes the form from this one', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await harness.during('confirming', () =>
      server.set({ status: { ...server.status({ submitted: true, revision: 2 }) } }),
    );
    expect(harness.form).to.equal(null);
    expect(harness.button).to.equal(null);
    expect(harness.announcement).to.equal(en.phases.confirming);
    await harness.during('paid', () => server.setState('paid', 3));
    expect(harness.count('pay-paid')).to.equal(1);
  });

  it('a form at an older price goes when another page opens a newer one', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const newer = checkoutId();
    const price = { amount: '50.00', currency: 'GBP', environment: 'sandbox', shop: 'Test Tea' };
    await server.set({
      status: { ...server.status({ supersededBy: newer, revision: 2 }) },
      others: [{ ...server.status({ checkout: newer, revision: 1 }) }],
      preview: { status: 200, body: { ...price, checkout: newer, state: 'open', revision: 1 } },
    });
    await harness.reaches('idle');
    await until(() => harness.element.renderRoot.textContent?.includes('50.00') ?? false);
    expect(harness.form).to.equal(null);
    expect(harness.button?.textContent?.trim()).to.equal('Pay');
  });

  for (const state of ['paid', 'returned'] as const) {
    it(`a form goes when another checkout of the order is ${state}`, async () => {
      const price = { amount: '50.00', currency: 'GBP', environment: 'sandbox', shop: 'Test Tea' };
      await server.set({ preview: { status: 200, body: price } });
      const harness = await PayCheckoutHarness.ready(server);
      const other = checkoutId();
      const phase = state === 'paid' ? state : 'confirming';
      await server.set({
        status: { ...server.status({ supersededBy: other, revision: 2 }) },
        others: [{ ...server.status({ checkout: other, state, revision: 5 }) }],
      });
      await harness.reaches(phase);
      await until(() => harness.announcement === en.phases[phase]);
      expect(harness.form).to.equal(null);
      expect(harness.button).to.equal(null);
      // Its price is not known here, and that of the preview is another one.
      expect(harness.element.renderRoot.textContent).not.to.contain('50.00');
    });
  }

  it('a form in which a card was submitted stays until the server has heard of it', async () => {
    const harness = await send();
    const other = checkoutId();
    await server.set({
      status: { ...server.status({ supersededBy: other, revision: 2 }) },
      others: [{ ...server.status({ checkout: other, revision: 1 }) }],
    });
    await isHeard();
    expect(harness.phase).to.equal('ready');
    expect(harness.form).not.to.equal(null);
  });

  it('a decline ends it: what happens next is what happens to any form', async () => {
    const harness = await send();
    server.sdk.calls[0]?.onDecline?.();
    await harness.during('problem', () => server.sdk.calls[0]?.onRefuse?.());
    expect(harness.notice).to.contain('session_refused');
  });

  it('an SDK that reports the card before its form is believed', async () => {
    const harness = await PayCheckoutHarness.place(server);
    harness.element.adapter = {
      load: () => Promise.resolve(),
      open: ({ report }) => {
        report('submitted');
        report('refused');
        return new Promise(() => undefined);
      },
    };
    await harness.during('confirming', () => harness.press());
    expect(harness.button).to.equal(null);
    expect(harness.count('pay-error')).to.equal(0);
  });
});
