// @vitest-environment happy-dom
import '@pay-checkout/widget';
import { expect, test } from 'vitest';
import { buttonOf, fakePayment } from '../fake-payment.js';

test('the page shows the form, and thanks for a payment', async () => {
  document.body.innerHTML =
    '<pay-checkout merchant="teashop" order="A1001" order-token="A1001.x"></pay-checkout>';
  const tag = document.querySelector('pay-checkout');
  Object.assign(tag, fakePayment);
  await tag.updateComplete;
  const ready = new Promise((resolve) => tag.addEventListener('pay-ready', resolve));
  buttonOf(tag).click();
  await ready;
  expect(tag.querySelector('input')).not.toBeNull();

  const orders = [];
  document.body.addEventListener('pay-paid', ({ order }) => orders.push(order));
  tag.dispatchEvent(Object.assign(new Event('pay-paid', { bubbles: true }), { order: 'A1001' }));
  expect(orders).toEqual(['A1001']);
});
