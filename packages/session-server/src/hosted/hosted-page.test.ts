import { describe, expect, it } from 'vitest';
import { testMerchant } from '../testing/test-merchant.js';
import { renderHostedPage } from './hosted-page.js';

describe('the text of the hosted page', () => {
  it.each([undefined, false, true])(
    'says whether the SDK leaves (%s) to a script that runs before the element does',
    (navigates) => {
      const plain = testMerchant();
      const merchant = {
        ...plain,
        sdk: { ...plain.sdk, ...(navigates !== undefined && { navigates }) },
      };
      const { text } = renderHostedPage({ merchant, order: 'A1001', orderToken: 'A1001.1.x' });
      expect(text).toContain(`data-navigates="${navigates === true}"`);
      expect(text.indexOf('hosted.js')).toBeGreaterThan(0);
      expect(text.indexOf('hosted.js')).toBeLessThan(text.indexOf('pay-checkout.js'));
    },
  );
});
