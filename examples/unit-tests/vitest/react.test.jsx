// @vitest-environment jsdom
import { PayCheckout } from '@pay-checkout/react';
import { render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { buttonOf, fakePayment } from '../fake-payment.js';

test('the component has its properties, and calls its listeners', async () => {
  const onPayReady = vi.fn();
  const { container } = render(
    <PayCheckout
      merchant="teashop"
      order="A1001"
      orderToken="A1001.x"
      onPayReady={onPayReady}
      {...fakePayment}
    />,
  );
  const tag = container.querySelector('pay-checkout');
  expect(tag.orderToken).toBe('A1001.x');
  await tag.updateComplete;
  buttonOf(tag).click();
  await vi.waitFor(() => expect(onPayReady).toHaveBeenCalledOnce());
  expect(tag.querySelector('input')).not.toBeNull();
});
