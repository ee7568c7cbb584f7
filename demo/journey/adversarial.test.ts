import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({ env: { sandbox: { SANDBOX_ADVERSARIAL: '7' } } });
});
afterAll(() => journey.stop());

describe('a shopper of an unkind provider', () => {
  it('is declined, pays once with another card, and all agree', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await journey.payAfterDecline(shopper, order);
    const requests = await fetch(`${journey.addresses.sandboxApi}/_sandbox/requests`);
    expect(await requests.text()).toContain('"fault":');
    await shopper.close();
  });
});
