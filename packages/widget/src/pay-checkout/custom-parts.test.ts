import { expect } from '@open-wc/testing';
import type { SdkAdapter, SdkOpenOptions } from '../sdk/sdk-adapter.js';
import { nextTask, until } from '../testing/until.js';
import { collectReportedErrors } from '../testing/reported-errors.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout> for people who bring their own', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('createSession and adapter replace server and SDK', async () => {
    let opened: SdkOpenOptions | undefined;
    const adapter: SdkAdapter = {
      load: () => Promise.resolve(),
      open: (options) => {
        opened = options;
        options.container.append(document.createElement('input'));
        return Promise.resolve();
      },
    };
    const harness = await PayCheckoutHarness.place(server, {
      adapter,
      createSession: () => Promise.resolve(server.openReply({ sessionId: 'own' })),
      locale: 'cy-GB',
    });
    await harness.during('ready', () => harness.press());
    expect(opened).to.include({ sessionId: 'own', locale: 'cy-GB' });
    expect(await server.opens()).to.have.length(0);
    expect(await server.seen('GET', /config|sdk/)).to.have.length(0);
    harness.element.remove();
    expect(opened?.signal.aborted).to.equal(true);
  });

  it('the server of the tag still receives the hints, and is polled for the outcome', async () => {
    let report: SdkOpenOptions['report'] | undefined;
    const adapter: SdkAdapter = {
      load: () => Promise.resolve(),
      open: (options) => {
        ({ report } = options);
        return Promise.resolve();
      },
    };
    const createSession = () => Promise.resolve(server.openReply({ sessionId: 'own' }));
    const harness = await PayCheckoutHarness.place(server, { adapter, createSession });
    await harness.during('ready', () => harness.press());
    report?.('declined');
    expect(harness.count('pay-declined')).to.equal(1);
    await harness.during('confirming', () => server.setState('returned', 2));
    await harness.during('paid', () => server.setState('paid', 3));
    expect(harness.count('pay-paid')).to.equal(1);
    await until(async () => (await server.hints()).length === 2);
    expect(await server.hintBodies()).to.have.deep.members([
      { kind: 'declined', sessionId: 'own' },
      { kind: 'shown', sessionId: 'own' },
    ]);
    expect(await server.opens()).to.have.length(0);
  });

  it('an adapter that loads after the tag was removed mounts nothing', async () => {
    const loaded = Promise.withResolvers<void>();
    const calls: string[] = [];
    const adapter: SdkAdapter = {
      load: () => {
        calls.push('load');
        return loaded.promise;
      },
      open: () => {
        calls.push('open');
        return new Promise(() => undefined);
      },
    };
    const createSession = () => Promise.resolve(server.openReply());
    const harness = await PayCheckoutHarness.place(server, { adapter, createSession });
    harness.press();
    // Once while the checkout is created, and once before mounting.
    await until(() => calls.length === 2);
    harness.element.remove();
    loaded.resolve();
    await nextTask();
    expect(calls).to.deep.equal(['load', 'load']);
    expect(harness.element.children).to.have.length(0);
  });

  it('a createSession that throws is a problem, not a broken page, and the page’s log says why', async () => {
    const { errors, restore } = collectReportedErrors();
    const harness = await PayCheckoutHarness.place(server, {
      createSession: () => Promise.reject(new Error('no')),
    });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('session_failed');
    expect(errors.map(String)).to.deep.equal(['Error: no']);
    restore();
  });
});
