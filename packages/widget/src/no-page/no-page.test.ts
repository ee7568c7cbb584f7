import { expect } from '@open-wc/testing';

const PACKAGE = new URL('../../dist/no-page.js', import.meta.url).href;
const SINGLE_FILE = new URL('../../dist/pay-checkout.js', import.meta.url).href;

/** The names that a script left in a worker's global scope, or what it threw. */
async function inWorker(type: WorkerType, load: string): Promise<unknown> {
  const script = `
    const before = Reflect.ownKeys(self);
    addEventListener('unhandledrejection', ({ reason }) => postMessage(String(reason)));
    const report = () => postMessage(
      Reflect.ownKeys(self).filter((key) => !before.includes(key)).map(String));
    ${load}`;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(url, { type });
  try {
    return await new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => resolve(message);
    });
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
}

describe('a worker, which has no page', () => {
  it('imports the package that its conditions name, and nothing comes of it', async () => {
    expect(await inWorker('module', `import('${PACKAGE}').then(report);`)).to.deep.equal([]);
  });

  it('runs the single file as a classic script, and nothing comes of it', async () => {
    const load = `importScripts('${SINGLE_FILE}'); report();`;
    expect(await inWorker('classic', load)).to.deep.equal([]);
  });

  it('imports the single file as a module, and nothing comes of it', async () => {
    expect(await inWorker('module', `import('${SINGLE_FILE}').then(report);`)).to.deep.equal([]);
  });

  for (const [type, url] of [
    ['classic', SINGLE_FILE],
    ['module', SINGLE_FILE],
    ['module', PACKAGE],
  ] as const) {
    it(`a service worker installs ${type} ${url.split('/').pop() ?? ''}`, async () => {
      const registration = await navigator.serviceWorker.register(url, { type });
      const worker = registration.installing ?? registration.waiting ?? registration.active;
      expect(worker).not.to.equal(null);
      await registration.unregister();
    });
  }
});
