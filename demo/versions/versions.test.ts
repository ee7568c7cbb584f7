import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { Journey, type JourneyOptions } from '../journey/journey.js';

/** The folder of the other build: `npm run check:versions` makes it. */
const OTHER = process.env['PAY_OTHER_VERSION'] ?? '';
const ofOther = (path: string): string => join(OTHER, path);

const PAIRS: readonly (readonly [string, JourneyOptions])[] = [
  [
    'the tag of another version at this server',
    {
      env: {
        'session-server': { PAY_WIDGET_SCRIPT: ofOther('packages/widget/dist/pay-checkout.js') },
      },
    },
  ],
  [
    'this tag at a server of another version',
    { sessionServer: ofOther('packages/session-server/dist/main.js') },
  ],
];

describe.each(PAIRS)('%s', (_pair, options) => {
  let journey: Journey;
  beforeEach(async () => {
    journey = await Journey.start(options);
  });
  afterEach(() => journey.stop());

  it.each([
    ['on the shop’s page', undefined],
    ['on the hosted page', 'redirect'],
  ] as const)('takes a payment after a decline, %s', async (_where, mode) => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment(mode);
    await journey.payAfterDecline(shopper, order);
    await shopper.close();
  });
});
