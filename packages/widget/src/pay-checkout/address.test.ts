import { expect } from '@open-wc/testing';
import type {
  AvsField,
  NeedsReply,
  CreateCheckoutRequest,
} from '@pay-checkout/session-server/contract';
import { en } from '../labels/en.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const CANARY = 'Canary Cottage';

function needs(fields?: readonly AvsField[]): { status: number; body: NeedsReply } {
  const facts = { amount: '42.50', currency: 'GBP', environment: 'sandbox' } as const;
  return { status: 200, body: { needs: ['avs'], ...facts, ...(fields && { fields }) } };
}

function inputsOf({ element }: PayCheckoutHarness): HTMLInputElement[] {
  return [...element.renderRoot.querySelectorAll('input')];
}

/** What is said at an input, by its description. */
function wordsAt({ element }: PayCheckoutHarness): (input: HTMLInputElement) => string {
  return (input) => {
    const id = input.getAttribute('aria-describedby') ?? '';
    return element.renderRoot.querySelector(`#${id}`)?.textContent ?? '';
  };
}

function fill(harness: PayCheckoutHarness, ...values: readonly string[]): void {
  inputsOf(harness).forEach((input, index) => (input.value = values[index] ?? ''));
}

describe('<pay-checkout> when the server needs the shopper’s address', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  const opened = () => ({ status: 200, body: server.openReply() });
  async function requireAddress(
    ...answers: { status: number; body: unknown }[]
  ): Promise<PayCheckoutHarness> {
    await server.set({ open: answers });
    const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
    await harness.during('address', () => harness.press());
    return harness;
  }
  const sent = async (): Promise<unknown> =>
    ((await server.opens()).at(-1)?.body as CreateCheckoutRequest | undefined)?.avs;

  it('requires house number and postcode, and pays with them', async () => {
    const harness = await requireAddress(needs(), opened());
    expect(harness.announcement).to.equal(en.phases.address);
    const amount = harness.element.renderRoot.querySelector('[part="amount"]');
    expect(amount?.textContent).to.equal('£42.50');
    expect(harness.form).to.equal(null);
    fill(harness, '12a', 'ZZ1 1ZZ');
    await harness.during('ready', () => harness.press());
    expect(await sent()).to.deep.equal({ houseNumber: '12a', postcode: 'ZZ1 1ZZ' });
    expect(inputsOf(harness)).to.have.length(0);
    await harness.during('paid', () => server.setState('paid'));
  });

  it('shows the fields that the server lists, in its order, and omits empty ones', async () => {
    const fields = ['flat', 'houseNumber', 'address1', 'address2', 'postcode'] as const;
    const harness = await requireAddress(needs(fields), opened());
    const labels = [...harness.element.renderRoot.querySelectorAll('label')];
    expect(labels.map((label) => label.firstChild?.nextSibling?.textContent?.trim())).to.deep.equal(
      fields.map((name) => en.fields[name]),
    );
    expect(inputsOf(harness).map((input) => input.autocomplete)).to.deep.equal([
      'billing address-line3',
      'billing address-line1',
      'billing address-line1',
      'billing address-line2',
      'billing postal-code',
    ]);
    fill(harness, '', '12', '', 'Harbour', 'ZZ1 1ZZ');
    await harness.during('ready', () => harness.press());
    expect(await sent()).to.deep.equal({
      houseNumber: '12',
      address2: 'Harbour',
      postcode: 'ZZ1 1ZZ',
    });
  });

  it('says at each required field that is empty or holds only spaces, and sends nothing', async () => {
    const harness = await requireAddress(needs(), opened());
    for (const [house, postcode, wrong] of [
      ['12', '', [1]],
      ['', 'ZZ1 1ZZ', [0]],
      ['', '', [0, 1]],
      ['  ', 'ZZ1 1ZZ', [0]],
    ] as const) {
      fill(harness, house, postcode);
      harness.press();
      await harness.element.updateComplete;
      const inputs = inputsOf(harness);
      const isWrong = (_: unknown, index: number): boolean =>
        (wrong as readonly number[]).includes(index);
      expect(inputs.map(wordsAt(harness))).to.deep.equal(
        inputs.map((input, index) => (isWrong(input, index) ? en.missingField : '')),
      );
      expect(inputs.map(({ ariaInvalid }) => ariaInvalid)).to.deep.equal(
        inputs.map((input, index) => String(isWrong(input, index))),
      );
      const { activeElement } = harness.element.renderRoot as ShadowRoot;
      expect(activeElement === inputs[wrong[0]]).to.equal(true);
      expect(inputs.map(({ value }) => value)).to.deep.equal([house, postcode]);
    }
    expect(harness.phase).to.equal('address');
    expect(await server.opens()).to.have.length(1);
    fill(harness, '12', 'ZZ1 1ZZ');
    await harness.during('ready', () => harness.press());
  });

  it('shows which field the server refused, with what was typed', async () => {
    const errors = [{ field: 'avs.postcode', message: 'expected a postcode' }];
    const refusal = { status: 400, body: { code: 'invalid_request', errors } };
    const harness = await requireAddress(needs(), refusal, opened());
    fill(harness, '12', 'nowhere');
    await harness.during('address', () => harness.press());
    const [house, postcode] = inputsOf(harness);
    expect(house?.value).to.equal('12');
    expect(house?.ariaInvalid).to.equal('false');
    expect(postcode?.value).to.equal('nowhere');
    expect(postcode?.ariaInvalid).to.equal('true');
    expect(inputsOf(harness).map(wordsAt(harness))).to.deep.equal(['', en.rejectedField]);
    expect((harness.element.renderRoot as ShadowRoot).activeElement).to.equal(postcode);
    fill(harness, '12', 'ZZ1 1ZZ');
    await harness.during('ready', () => harness.press());
  });

  it('keeps what was typed when the connection fails, and asks only once', async () => {
    const harness = await requireAddress(needs(), { status: 500, body: {} }, opened());
    fill(harness, '12', 'ZZ1 1ZZ');
    await harness.during('problem', () => harness.press());
    await harness.during('ready', () => harness.press());
    expect(await sent()).to.deep.equal({ houseNumber: '12', postcode: 'ZZ1 1ZZ' });
  });

  it('puts the focus in the first field after the press that led here', async () => {
    const harness = await requireAddress(needs(), opened());
    const root = harness.element.renderRoot as ShadowRoot;
    expect(root.activeElement?.getAttribute('name')).to.equal('houseNumber');
  });

  it('keeps what was typed nowhere in the browser', async () => {
    const harness = await requireAddress(needs(), opened());
    fill(harness, CANARY, 'ZZ1 1ZZ');
    await harness.during('ready', () => harness.press());
    const kept = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
    expect(kept + location.href + JSON.stringify(history.state)).not.to.contain(CANARY);
    expect(harness.element.outerHTML).not.to.contain(CANARY);
    expect((harness.element.renderRoot as ShadowRoot).innerHTML).not.to.contain(CANARY);
    expect(await indexedDB.databases()).to.deep.equal([]);
  });

  it('close() forgets the address, and the next start asks for it again', async () => {
    const harness = await requireAddress(needs());
    fill(harness, '12', 'ZZ1 1ZZ');
    await harness.during('idle', () => harness.element.close());
    await harness.during('address', () => harness.press());
    expect(inputsOf(harness).map(({ value }) => value)).to.deep.equal(['', '']);
    expect(await server.hints()).to.deep.equal([]);
  });
});
