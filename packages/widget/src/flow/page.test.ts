import { expect, fixture, html } from '@open-wc/testing';
import { isReasonToPoll } from './page.js';

const SERVER = 'https://pay.example';
const RETURN = { type: 'pay-checkout:return', checkout: 'c-1', kind: 'return' };

describe('a message to the page', () => {
  const sent: unknown[] = [];
  let frame: Window;
  beforeEach(async () => {
    sent.length = 0;
    frame = (await fixture<HTMLIFrameElement>(html`<iframe></iframe>`)).contentWindow as Window;
  });

  function receive(data: unknown, origin: string, from: object | null): boolean {
    const postMessage = (...given: unknown[]): unknown => sent.push(given);
    const source = from && Object.assign(from, { postMessage });
    const event = { data, origin, source } as unknown as MessageEvent<unknown>;
    return isReasonToPoll(event, SERVER, 'c-1');
  }

  it('of a return is acknowledged to the window that sent it, in exactly the server’s origin', () => {
    expect(receive(RETURN, SERVER, frame)).to.equal(true);
    const answer = { type: 'pay-checkout:return-ack', checkout: 'c-1' };
    expect(sent).to.deep.equal([[answer, SERVER]]);
  });

  it('that says hello is answered in exactly the server’s origin, and is no reason to poll', () => {
    expect(receive({ type: 'pay-checkout:hello' }, SERVER, frame)).to.equal(false);
    expect(sent).to.deep.equal([[{ type: 'pay-checkout:hello-ack' }, SERVER]]);
    sent.length = 0;
    receive({ type: 'pay-checkout:hello' }, 'https://elsewhere.example', frame);
    receive({ type: 'pay-checkout:hello' }, SERVER, { opener: null, parent: null });
    expect(sent).to.deep.equal([]);
  });

  it('of another origin is ignored', () => {
    for (const origin of ['https://pay.example.evil.example', 'http://pay.example', 'null', '']) {
      expect(receive(RETURN, origin, frame), origin).to.equal(false);
    }
    expect(sent).to.deep.equal([]);
  });

  it('of another shape, or about another checkout, is ignored', () => {
    const others = [{ ...RETURN, checkout: 'c-2' }, { ...RETURN, type: 'paid' }, {}];
    for (const data of [undefined, null, 'text', 7, [], ...others]) {
      expect(receive(data, SERVER, frame), JSON.stringify(data)).to.equal(false);
    }
    expect(sent).to.deep.equal([]);
  });

  it('is accepted from a frame in a frame, and from a window that this page opened', () => {
    const inner = frame.document.createElement('iframe');
    frame.document.body.append(inner);
    const opened: Record<string, unknown> = { opener: window };
    opened['parent'] = opened;
    for (const source of [inner.contentWindow, opened]) {
      expect(receive(RETURN, SERVER, source)).to.equal(true);
    }
    expect(sent).to.have.length(2);
  });

  it('is ignored from a window that this page neither frames nor opened', () => {
    const other: Record<string, unknown> = { opener: null };
    other['parent'] = other;
    const closed = { opener: null, parent: null };
    const itsFrame = { opener: null, parent: other };
    const { port1 } = new MessageChannel();
    for (const source of [other, itsFrame, closed, port1, null]) {
      expect(receive(RETURN, SERVER, source)).to.equal(false);
    }
    expect(sent).to.deep.equal([]);
  });
});
