import { expect } from '@open-wc/testing';
import { en } from '../labels/en.js';
import { collectReportedErrors } from '../testing/reported-errors.js';
import { speedUpWait, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const FOUND_WITHIN_MS = 60_000;

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

  it('so does one that is opened elsewhere meanwhile', async () => {
    const harness = await send();
    await harness.during('confirming', () => harness.element.close());
    await server.setState('open');
    await isHeard();
    expect(harness.phase).to.equal('confirming');
    expect(harness.button).to.equal(null);
  });

  it('when nothing is found, the element shows a reference and retries in the same session', async () => {
    const harness = await send();
    const restore = speedUpWait(globalThis, FOUND_WITHIN_MS);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => server.sdk.calls[0]?.onRefuse?.());
    restore();
    expect(await error).to.include({ code: 'outcome_unknown', retryable: true });
    expect(harness.notice).to.equal(`${en.codes.outcome_unknown} outcome_unknown`);
    expect(harness.reference).to.equal(`Reference: A1001 · ${server.checkout.slice(0, 8)}`);
    await harness.during('ready', () => harness.press());
    const [, second] = await server.opens();
    expect(second?.body).not.to.have.property('renew');
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
