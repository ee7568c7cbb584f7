import { expect } from '@open-wc/testing';
import type { SdkAdapter, SdkOpenOptions } from '../sdk/sdk-adapter.js';
import { nextTask, until } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout> for people who bring their own', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

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
    const harness = await PayCheckoutHarness.place(world, {
      adapter,
      createSession: () => Promise.resolve(world.openReply({ sessionId: 'own' })),
      locale: 'cy-GB',
    });
    await harness.during('ready', () => harness.press());
    expect(opened).to.include({ sessionId: 'own', locale: 'cy-GB' });
    expect(await world.opens()).to.have.length(0);
    expect(await world.seen('GET', /config|sdk/)).to.have.length(0);
    harness.element.remove();
    expect(opened?.signal.aborted).to.equal(true);
  });

  it('the server of the tag is told the hints all the same, and asked what became of it', async () => {
    let report: SdkOpenOptions['report'] | undefined;
    const adapter: SdkAdapter = {
      load: () => Promise.resolve(),
      open: (options) => {
        ({ report } = options);
        return Promise.resolve();
      },
    };
    const createSession = () => Promise.resolve(world.openReply({ sessionId: 'own' }));
    const harness = await PayCheckoutHarness.place(world, { adapter, createSession });
    await harness.during('ready', () => harness.press());
    report?.('declined');
    expect(harness.count('pay-declined')).to.equal(1);
    await harness.during('confirming', () => world.tell('returned', 2));
    await harness.during('paid', () => world.tell('paid', 3));
    expect(harness.count('pay-paid')).to.equal(1);
    await until(async () => (await world.hints()).length === 2);
    expect(await world.hintBodies()).to.have.deep.members([
      { kind: 'declined', sessionId: 'own' },
      { kind: 'shown', sessionId: 'own' },
    ]);
    expect(await world.opens()).to.have.length(0);
  });

  it('an adapter that is there only after the tag has gone draws nothing', async () => {
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
    const createSession = () => Promise.resolve(world.openReply());
    const harness = await PayCheckoutHarness.place(world, { adapter, createSession });
    harness.press();
    // Once beside the opening of the session, and once before drawing.
    await until(() => calls.length === 2);
    harness.element.remove();
    loaded.resolve();
    await nextTask();
    expect(calls).to.deep.equal(['load', 'load']);
    expect(harness.element.children).to.have.length(0);
  });

  it('a createSession that throws is a problem, not a broken page', async () => {
    const harness = await PayCheckoutHarness.place(world, {
      createSession: () => Promise.reject(new Error('no')),
    });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('session_failed');
  });
});
