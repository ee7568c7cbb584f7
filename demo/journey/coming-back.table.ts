/**
 * The table of docs/states.md, section "Coming back to an order", with real parts: whatever the outcome of an
 * order, and however its shopper comes back to it, the element shows what the server knows. It offers no
 * payment while money may be moving, leaves no order that can be paid without a way to pay it, and learns
 * the truth without a press.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROASTERY } from '../stack/merchants.js';
import { Journey } from './journey.js';
import { PutOrder } from './put-order.js';
import { DECLINED } from './sandbox-control.js';
import { CARDS, CONFIRMING, PAID, type Shopper } from './shopper.js';

declare global {
  interface Window {
    /** How often a frame offered to pay, after the server had answered. */
    offers?: number;
  }
}

const PAY = 'Pay';
const RESUME = 'Back to the payment form';
const CHECK = 'Check again';

const OLD_AMOUNT = '1.250';
const AMOUNT = '2.500';
const NEW_AMOUNT = '3.750';

/** What the element shows. */
interface Shown {
  readonly phase: string;
  readonly buttons: readonly string[];
  readonly words?: string;
}

interface Row {
  readonly state: string;
  /** Brings an order there that was put; `shopper` is on a page with its tag. */
  readonly reach: (order: PutOrder, shopper: Shopper) => unknown;
  /** Whether it takes a server whose checkouts and settle windows end in a second. */
  readonly isEarly?: true;
  /** After a reload, Back and in a duplicate tab; where paying is offered, a pay link opens the form. */
  readonly shows: Shown;
  /** On a return page with the checkout's id, where that tells more. */
  readonly onReturn?: Shown;
  /** Once the one button was pressed; by default there is the form. */
  readonly pressed?: Shown;
  /** Whether there is no checkout at this price, so that a page without a press has nothing to follow. */
  readonly isNew?: true;
  /** Whether a press opens another session; by default only where there is none at this price. */
  readonly opensAnother?: true;
  /** How the truth comes; by default a card is approved in the latest session, and is listed. */
  readonly truth?: (order: PutOrder) => unknown;
  /** What every page shows then, without a press. */
  readonly ends: Shown;
}

const CAN_PAY = { phase: 'idle', buttons: [PAY] };
const FORM = { phase: 'ready', buttons: [] };
const IS_CHECKED = { phase: 'confirming', buttons: [], words: CONFIRMING };
const IS_SUBMITTED = { phase: 'confirming', buttons: [RESUME], words: CONFIRMING };
const IS_UNCONFIRMED = {
  phase: 'unconfirmed',
  buttons: [CHECK],
  words: 'Please do not pay again.',
};
const IS_PAID = { phase: 'paid', buttons: [], words: PAID };
const IS_REFUNDED = { phase: 'paid', buttons: [], words: 'This payment was refunded.' };
const IS_VOID = { phase: 'problem', buttons: [], words: 'This order can no longer be paid.' };

const ROWS: readonly Row[] = [
  { state: 'never opened', reach: () => undefined, shows: CAN_PAY, isNew: true, ends: IS_PAID },
  {
    state: 'open, its form untouched',
    reach: (order) => order.open(),
    shows: CAN_PAY,
    ends: IS_PAID,
  },
  {
    state: 'open, its form shown',
    async reach(_order, shopper) {
      await shopper.button(PAY).click();
      await showsForm(shopper);
    },
    shows: CAN_PAY,
    ends: IS_PAID,
  },
  {
    state: 'submitted, its challenge open',
    async reach(order, shopper) {
      await shopper.button(PAY).click();
      await shopper.payWith(CARDS.challenged);
      await shopper.form.getByLabel('Code from your bank').waitFor();
      await order.becomesSubmitted();
    },
    shows: IS_SUBMITTED,
    ends: IS_PAID,
  },
  {
    state: 'submitted, its payment not listed yet',
    async reach(order, shopper) {
      await shopper.button(PAY).click();
      await shopper.payWith(CARDS.neverReturns);
      await expect.poll(() => order.payments()).toHaveLength(1);
      await order.becomesSubmitted();
    },
    shows: IS_SUBMITTED,
    // The session is paid: the SDK says so where its form was.
    pressed: { ...FORM, words: 'Please do not pay again.' },
    truth: (order) => order.list(),
    ends: IS_PAID,
  },
  {
    state: 'submitted, and in no list after its settle window',
    isEarly: true,
    async reach(order) {
      await order.open();
      await order.hint('submitted');
      await order.becomesSubmitted(false);
      await order.becomes({ state: 'expired' });
    },
    shows: CAN_PAY,
    onReturn: { phase: 'expired', buttons: [PAY] },
    ends: IS_PAID,
  },
  {
    state: 'returned',
    async reach(order) {
      await order.open();
      await order.pay();
      await order.visit('RedirectUrl');
      await order.becomes({ state: 'returned' });
    },
    shows: IS_CHECKED,
    truth: (order) => order.list(),
    ends: IS_PAID,
  },
  {
    state: 'declined',
    async reach(order) {
      await order.open();
      await order.hint('submitted');
      await order.pay('declined');
      await order.hint('declined');
      await order.becomesSubmitted(false);
    },
    shows: CAN_PAY,
    ends: IS_PAID,
  },
  {
    state: 'cancelled',
    async reach(order) {
      await order.open();
      await order.visit('CancelUrl');
      await order.becomes({ state: 'cancelled' });
    },
    shows: CAN_PAY,
    onReturn: { phase: 'cancelled', buttons: [PAY] },
    ends: IS_PAID,
  },
  {
    state: 'left',
    async reach(order) {
      await order.open();
      await order.visit('backurl');
      await order.becomes({ state: 'left' });
    },
    shows: CAN_PAY,
    onReturn: { phase: 'left', buttons: [PAY] },
    ends: IS_PAID,
  },
  {
    state: 'expired',
    isEarly: true,
    async reach(order) {
      await order.open();
      await order.becomes({ state: 'expired' });
    },
    shows: CAN_PAY,
    onReturn: { phase: 'expired', buttons: [PAY] },
    ends: IS_PAID,
  },
  {
    state: 'failed',
    async reach(order) {
      await order.open();
      await order.listFailure();
      await order.hint('error');
      await order.becomes({ state: 'failed' });
    },
    shows: CAN_PAY,
    onReturn: { phase: 'failed', buttons: [PAY] },
    opensAnother: true,
    ends: IS_PAID,
  },
  {
    state: 'unconfirmed',
    isEarly: true,
    async reach(order) {
      await order.open();
      await order.pay();
      await order.visit('RedirectUrl');
      await order.becomes({ state: 'unconfirmed' });
    },
    shows: IS_UNCONFIRMED,
    pressed: IS_UNCONFIRMED,
    truth: (order) => order.list(),
    ends: IS_PAID,
  },
  { state: 'paid', reach: reachPaid, shows: IS_PAID, truth: () => undefined, ends: IS_PAID },
  {
    state: 'refunded',
    async reach(order) {
      await reachPaid(order);
      await order.refund();
      await order.hint('shown');
      await order.becomes({ amountRefunded: AMOUNT });
    },
    shows: IS_REFUNDED,
    truth: () => undefined,
    ends: IS_REFUNDED,
  },
  {
    state: 'void',
    reach: (order) => order.makeVoid(),
    shows: IS_VOID,
    truth: () => undefined,
    ends: IS_VOID,
  },
  {
    state: 'open, and its price changed',
    async reach(order) {
      await order.open();
      await order.put(NEW_AMOUNT);
    },
    shows: CAN_PAY,
    isNew: true,
    ends: IS_PAID,
  },
  {
    state: 'submitted, and its price changed',
    async reach(order) {
      await order.open();
      await order.hint('submitted');
      await order.put(NEW_AMOUNT);
    },
    shows: IS_SUBMITTED,
    ends: IS_PAID,
  },
  {
    state: 'paid at another price',
    async reach(order) {
      await order.open();
      await order.put(NEW_AMOUNT);
      await order.pay();
      await order.list();
      await order.hint('shown');
      await order.becomes({ state: 'paid' });
    },
    shows: IS_PAID,
    truth: () => undefined,
    ends: IS_PAID,
  },
];

async function reachPaid(order: PutOrder): Promise<void> {
  await order.open();
  await order.pay();
  await order.list();
  await order.hint('shown');
  await order.becomes({ state: 'paid' });
}

async function showsForm(shopper: Shopper): Promise<void> {
  await shopper.form.getByLabel('Card number').waitFor();
}

/** Any limit is meant for one shopper. */
const TUNING = {
  pollIntervalSeconds: 0.3,
  pollPagesPerMinute: 6000,
  rateLimits: { createPerAddress: 6000, createPerOrder: 600, statusPerAddress: 60_000 },
};

let journey: Journey;
/** A checkout of another order. */
let foreign: string;
/** Orders that were brought to an early state, by row and whether they had another price before. */
const early = new Map<string, PutOrder>();

beforeAll(async () => {
  journey = await Journey.start({
    tuning: { ...TUNING, expireAfterSeconds: 1, settleWindowSeconds: 1 },
    // What is paid is listed when a row says so.
    env: { sandbox: { SANDBOX_LISTING_DELAY_SECONDS: '86400' } },
  });
  const other = await putOrder('other', false);
  await other.open();
  foreign = other.latest.checkout;
  await Promise.all(
    ROWS.filter(({ isEarly }) => isEarly).flatMap((row) =>
      [false, true].map(async (hadPrice) => {
        const order = await putOrder(nameOf(row, hadPrice), hadPrice);
        await row.reach(order, undefined as never);
        early.set(order.name, order);
      }),
    ),
  );
  letCardsFail();
  await journey.stack.restart('session-server', { TUNING: JSON.stringify(TUNING) });
});
afterAll(() => journey.stop());

/** The interface shows no status of a failed payment: the merchant's entry names one. */
function letCardsFail(): void {
  const file = join(journey.stack.dataDirectory, 'merchants.json');
  const { merchants } = JSON.parse(readFileSync(file, 'utf8')) as { merchants: { id: string }[] };
  const changed = merchants.map((entry) =>
    entry.id === ROASTERY ? { ...entry, evidence: { failedStatuses: [DECLINED] } } : entry,
  );
  writeFileSync(file, JSON.stringify({ merchants: changed }));
}

function nameOf({ state }: Row, hadPrice: boolean): string {
  return `${state.replaceAll(/\W+/g, '-')}${hadPrice ? '.2' : '.1'}`;
}

async function putOrder(name: string, hadPrice: boolean): Promise<PutOrder> {
  const order = new PutOrder(journey, name);
  if (hadPrice) {
    await order.put(OLD_AMOUNT);
    await order.open();
  }
  return order.put(AMOUNT);
}

/** Counts in every page what no shopper may see while money may be moving. */
async function watchOffers({ page }: Shopper): Promise<void> {
  await page.context().addInitScript(() => {
    window.offers = 0;
    const look = (): void => {
      const root = document.querySelector('pay-checkout')?.shadowRoot;
      const isAnswered = root?.querySelector('.blank') === null;
      const buttons = [...(root?.querySelectorAll('[part="button"]') ?? [])];
      if (isAnswered && buttons.some(({ textContent }) => textContent.trim() === 'Pay')) {
        window.offers = (window.offers ?? 0) + 1;
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

function readTag(page: Page): Promise<Required<Shown>> {
  return page.evaluate(() => {
    const tag = document.querySelector('pay-checkout');
    const root = tag?.shadowRoot;
    const phases =
      'idle opening ready confirming unconfirmed paid failed cancelled left expired problem';
    const buttons = [...(root?.querySelectorAll('[part="button"], [part="secondary"]') ?? [])];
    return {
      phase: phases.split(' ').find((name) => tag?.matches(`:state(${name})`)) ?? '',
      buttons: buttons.map(({ textContent }) => textContent.trim()),
      words: root?.textContent.replaceAll(/\s+/g, ' ') ?? '',
    };
  });
}

async function expectShown({ page }: Shopper, { words = '', ...shown }: Shown): Promise<void> {
  await expect
    .poll(() => readTag(page))
    .toEqual({ ...shown, words: expect.stringContaining(words) as string });
}

/** One way in which a shopper comes back, and what they see first. */
interface Visit {
  readonly how: string;
  readonly shows: Shown;
  readonly page: Shopper;
  readonly come: () => Promise<unknown>;
}

/** `shopper` is on a page of the order, and `device` is another browser. */
async function visitsOf(
  { shows, onReturn = shows }: Row,
  { shopper, device }: Record<'shopper' | 'device', Shopper>,
  order: PutOrder,
  hadPrice: boolean,
): Promise<Visit[]> {
  const { checkouts } = await order.read();
  const named = async (how: string, checkout: string, shown: Shown): Promise<Visit> => {
    const page = await shopper.tab();
    return { how, page, shows: shown, come: () => page.visitBarePage({ checkout }) };
  };
  if (hadPrice) return [await named('the old id', checkouts[0]?.checkout ?? '', onReturn)];
  const tab = await shopper.tab();
  const walker = await shopper.tab();
  const own = checkouts.at(-1)?.checkout;
  return [
    { how: 'a duplicate tab', page: tab, shows, come: () => tab.visitBarePage() },
    { how: 'a reload', page: shopper, shows, come: () => shopper.page.reload() },
    {
      how: 'back and forward',
      page: walker,
      shows,
      async come() {
        await walker.visitBarePage();
        await walker.page.goto(`${journey.addresses.shop}/`);
        await walker.page.goBack();
      },
    },
    {
      how: 'the pay link on another device',
      page: device,
      shows: shows.buttons.includes(PAY) ? FORM : shows,
      come: () => device.page.goto(order.payUrl),
    },
    await named('the id of another order', foreign, shows),
    ...(own === undefined ? [] : [await named('its id', own, onReturn)]),
  ];
}

async function play(row: Row, hadPrice: boolean): Promise<void> {
  const { truth = pay, pressed = FORM, isNew = false, opensAnother = isNew, ends } = row;
  const name = nameOf(row, hadPrice);
  const order = early.get(name) ?? (await putOrder(name, hadPrice));
  const [shopper, device] = await Promise.all([journey.shopper(), journey.shopper()]);
  for (const browser of [shopper, device]) {
    await watchOffers(browser);
    await browser.putTagOnBarePages(order.attributes);
  }
  await shopper.visitBarePage();
  if (!row.isEarly) await row.reach(order, shopper);
  const before = (await order.sessions()).length;
  const visits = await visitsOf(row, { shopper, device }, order, hadPrice);
  const problems: string[] = [];
  const check = async (what: string, doing: () => Promise<unknown>): Promise<void> => {
    await doing().catch((error: unknown) => problems.push(`${what}: ${String(error)}`));
  };

  const comeBack = async ({ how, shows, page, come }: Visit): Promise<void> => {
    await come();
    await check(`first, ${how}`, () => expectShown(page, shows));
    if (row.shows === CAN_PAY) return;
    await check(`offers, ${how}`, async () => {
      expect(await page.page.evaluate(() => window.offers)).toBe(0);
    });
  };
  // The page of the pay link opens the form: what the others show first would be another thing.
  await Promise.all(visits.filter(({ page }) => page !== device).map(comeBack));
  await Promise.all(visits.filter(({ page }) => page === device).map(comeBack));
  for (const [index, { how, page, shows }] of visits.entries()) {
    const [button] = shows.buttons;
    // One page is not pressed: it learns the truth all the same.
    if (button === undefined || (index === 0 && !isNew && !hadPrice)) continue;
    await page.button(button).click();
    await check(`pressed, ${how}`, () => expectShown(page, pressed));
    if (pressed === FORM) await check(`form, ${how}`, () => showsForm(page));
  }
  await check('sessions', async () => {
    expect((await order.sessions()).length - before).toBe(opensAnother ? 1 : 0);
  });
  await truth(order);
  for (const { how, page } of visits) {
    await check(`in the end, ${how}`, () => expectShown(page, ends));
  }
  await check('payments', async () => {
    expect(await order.payments()).toHaveLength(ends === IS_VOID ? 0 : 1);
    expect((await order.read()).attention).not.toContain('paid_twice');
  });
  await Promise.all([shopper.close(), device.close()]);
  if (problems.length > 0) throw new Error([name, ...problems].join('\n'));
}

async function pay(order: PutOrder): Promise<void> {
  await order.pay();
  await order.list();
}

describe('an order that a shopper comes back to is shown as it is, and paid once', () => {
  it.each(ROWS)('$state', async (row) => {
    await Promise.all([play(row, false), play(row, true)]);
  });
});
