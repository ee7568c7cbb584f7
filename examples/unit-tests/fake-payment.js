/** What a page's tests give the tag, in place of the session server and the provider's form. */
export const fakePayment = {
  server: 'https://pay.example',
  createSession: () =>
    Promise.resolve({
      checkout: 'checkout-of-a-test',
      state: 'open',
      revision: 1,
      sessionId: 'session-of-a-test',
      amount: '9.99',
      currency: 'GBP',
      environment: 'sandbox',
    }),
  adapter: {
    load: () => Promise.resolve(),
    open({ container }) {
      container.innerHTML = '<input aria-label="Card number">';
      return Promise.resolve();
    },
  },
};

/** The button of the card, which is in the tag's shadow root. */
export const buttonOf = (tag) => tag.shadowRoot.querySelector('[part=button]');
