import { expect } from '@open-wc/testing';
import type { PayCheckout } from './pay-checkout.js';

describe('the single file of <pay-checkout>', () => {
  let frame: HTMLIFrameElement;
  let element: PayCheckout | null | undefined;
  beforeEach(async () => {
    frame = document.createElement('iframe');
    frame.src = '/packages/widget/test-server/classic.html';
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    element = frame.contentDocument?.querySelector('pay-checkout');
    await element?.updateComplete;
  });
  afterEach(() => frame.remove());

  it('is a classic script that takes its server from its own address', () => {
    expect(element?.serverUrl).to.equal(location.origin);
    expect(element?.matches(':state(idle)')).to.equal(true);
  });

  it('keeps its properties when a script reads its observed attributes', () => {
    const constructor = element?.constructor as typeof PayCheckout | undefined;
    expect(constructor?.observedAttributes).to.include('order-token');
    expect(element?.merchant).to.equal(element?.getAttribute('merchant'));
  });
});
