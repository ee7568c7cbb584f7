import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { Journey, type JourneyOptions } from './journey.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped. */
    notRun?: string;
  }
}

/**
 * The folder of another version, built there:
 *
 *     git worktree add --detach .cache/other <commit> && (cd .cache/other && npm run build)
 *     PAY_OTHER_VERSION=.cache/other npm test -- journey versions
 */
const OTHER = process.env['PAY_OTHER_VERSION'] ?? '';
const ofOther = (path: string): string => join(resolve(import.meta.dirname, '../..', OTHER), path);

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
  let journey: Journey | undefined;
  beforeEach(async ({ task, skip }) => {
    if (OTHER === '') {
      task.meta.notRun = 'PAY_OTHER_VERSION is not set';
      skip(task.meta.notRun);
    }
    journey = await Journey.start(options);
  });
  afterEach(async () => {
    await journey?.stop();
    journey = undefined;
  });

  it.each([
    ['on the shop’s page', undefined],
    ['on the hosted page', 'redirect'],
  ] as const)('takes a payment after a decline, %s', async (_where, mode) => {
    if (!journey) throw new Error('no journey');
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment(mode);
    await journey.payAfterDecline(shopper, order);
    await shopper.close();
  });
});
