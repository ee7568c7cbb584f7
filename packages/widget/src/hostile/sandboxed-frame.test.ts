import { expect } from '@open-wc/testing';
import { TestServer } from '../testing/test-server.js';

const SCRIPT = '/packages/widget/dist/pay-checkout.js';

describe('a frame whose sandbox has no allow-same-origin', () => {
  it('is named as the cause, at once, and trying again is not offered', async () => {
    const server = await new TestServer().start();
    const address = `/pages/${crypto.randomUUID()}`;
    const page = `<!doctype html><script src="${server.url}${SCRIPT}"></script>
      <pay-checkout merchant="corner-shop" order="A1001" order-token="A1001.2.x"></pay-checkout>
      <script>
        const tag = document.querySelector('pay-checkout');
        tag.addEventListener('pay-error', async ({ code, retryable }) => {
          await tag.updateComplete;
          const words = tag.shadowRoot.querySelector('[role=alert]').textContent;
          parent.postMessage({ code, retryable, words }, '*');
        });
        tag.start();
      </script>`;
    await fetch(address, { method: 'POST', body: JSON.stringify({ html: page }) });
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.src = address;
    const told = new Promise<MessageEvent<unknown>>((resolve) => {
      addEventListener('message', resolve, { once: true });
    });
    document.body.append(frame);
    const { data } = await told;
    frame.remove();
    expect(data).to.deep.include({ code: 'page_without_origin', retryable: false });
    const { words } = data as { words: string };
    expect(words).to.contain('This page cannot take payments');
    expect(words).not.to.contain('connection');
    expect(await server.opens()).to.have.length(1);
  });
});
