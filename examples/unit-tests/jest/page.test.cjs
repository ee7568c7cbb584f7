require('@pay-checkout/widget/pay-checkout.js');

test('the page offers to pay, and hears of a payment', async () => {
  document.body.innerHTML =
    '<pay-checkout merchant="teashop" order="A1001" order-token="A1001.x"></pay-checkout>';
  const tag = document.querySelector('pay-checkout');
  await tag.updateComplete;
  expect(tag.shadowRoot.querySelector('[part=button]').textContent.trim()).toBe('Pay');

  const orders = [];
  tag.addEventListener('pay-paid', ({ order }) => orders.push(order));
  tag.dispatchEvent(Object.assign(new Event('pay-paid', { bubbles: true }), { order: 'A1001' }));
  expect(orders).toEqual(['A1001']);
  tag.remove();
});
