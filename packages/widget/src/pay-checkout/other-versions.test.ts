import { expect } from '@open-wc/testing';
import type { CheckoutStatus, CreateCheckoutReply } from '@pay-checkout/session-server/contract';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

/** What a later version may say next to what this one knows. */
const LATER = { laterText: 'later', laterList: [{ a: 1 }], laterNothing: null };

describe('<pay-checkout> at a server of another version', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('takes a payment when every answer has fields that it does not know', async () => {
    const sdk = { ...server.sdkDescription, ...LATER };
    const reply = { ...server.openReply(), ...LATER, sdk };
    await server.set({
      config: {
        status: 200,
        body: { merchant: 'corner-shop', environment: 'sandbox', sdk, ...LATER },
      },
      open: [{ status: 200, body: reply }],
    });
    const harness = await PayCheckoutHarness.ready(server);
    const paid = { ...server.status({ state: 'paid', certain: true, revision: 2 }), ...LATER };
    await harness.during('paid', () => server.set({ status: paid }));
    expect(harness.events).to.include('pay-paid');
  });

  it('shows a state that it does not know as one that is being checked, and then the outcome', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await harness.during('confirming', () =>
      server.setState('under-review' as CheckoutStatus['state']),
    );
    expect(harness.form).to.equal(null);
    await harness.during('paid', () => server.setState('paid', 3));
  });

  it('says that it cannot go on when a checkout opens in a state that it does not know', async () => {
    const { sessionId: _, sdk: __, ...reply } = server.openReply();
    const body = { ...reply, state: 'under-review' } as unknown as CreateCheckoutReply;
    await server.set({ open: [{ status: 200, body }] });
    const harness = await PayCheckoutHarness.place(server);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.element.start());
    expect(await error).to.include({ code: 'session_missing' });
  });

  it('takes a payment when the answers have only what the first version had', async () => {
    const { refund: _, ...status } = server.status({ state: 'paid', revision: 2 });
    const harness = await PayCheckoutHarness.ready(server);
    await harness.during('paid', () => server.set({ status: status }));
  });
});
