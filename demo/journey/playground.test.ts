import { readFile } from 'node:fs/promises';
import { SCENARIOS } from '@pay-checkout/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { Playground } from './playground.js';
import { CARDS, CONFIRMING } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({
    tuning: { rateLimits: { createPerAddress: 600 } },
  });
});
afterAll(() => journey.stop());

/** Opens the playground with these settings and pays, as a person would. */
async function payWith(settings: Readonly<Record<string, string>>): Promise<Playground> {
  const playground = await Playground.open(journey, settings);
  await playground.scrollToTag();
  if (settings['autostart'] !== 'true') await playground.tagButton('Pay').click();
  await playground.pay(CARDS.approved);
  await playground.isPaidOnce();
  return playground;
}

async function waysOf(playground: Playground): Promise<ReadonlySet<string | undefined>> {
  const log = await playground.log();
  const changes = log.filter(({ name }) => name === 'pay-statechange');
  return new Set(changes.map(({ details }) => details['mode']));
}

describe('the playground', () => {
  it.each([
    ['the plain SDK', { shape: 'promise' }, 'inline'],
    ['one that takes a string', { shape: 'string' }, 'inline'],
    ['one that is constructed first', { shape: 'constructed', autostart: 'true' }, 'inline'],
    ['one that takes an element', { shape: 'element' }, 'inline'],
    [
      'one that draws at the end of the page, in an overlay',
      { shape: 'body', mode: 'overlay' },
      'overlay',
    ],
    ['one that takes nothing but the session', { shape: 'alone' }, 'inline'],
    ['one that is late', { shape: 'late' }, 'inline'],
    ['the hosted page in a window', { mode: 'popup' }, 'popup'],
  ])('pays with %s, and reports it', async (_what, settings, way) => {
    const playground = await payWith(settings);
    expect(await waysOf(playground)).toEqual(new Set([way]));
    const names = (await playground.log()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pay-ready', 'pay-paid', 'pay-metric']));
    expect(names).not.toContain('pay-error');
    await playground.close();
  });

  it('leaves the page for an SDK that leaves it, and follows the payment when it comes back', async () => {
    const playground = await payWith({ shape: 'navigates' });
    const [first] = await playground.log();
    expect(first).toEqual({ name: 'came back', details: { kind: 'return' } });
    expect(await playground.control('shape').inputValue()).toBe('navigates');
    await playground.close();
  });

  it('lets a shopper go Back past such an SDK: nothing leaves a second time', async () => {
    const playground = await Playground.open(journey, { shape: 'navigates', autostart: 'true' });
    const { page } = playground.shopper;
    const { pay, sandbox, shop } = journey.addresses;
    await playground.scrollToTag();
    await page.waitForURL(`${sandbox}/**`);
    await page.goBack();
    await page.waitForURL(`${pay}/v1/pay/**`);
    await playground.shopper.button('Pay').waitFor();
    await page.goBack();
    await page.waitForURL(`${shop}/playground**`);
    await playground.scrollToTag();
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.approved);
    await playground.isPaidOnce();
    await playground.close();
  });

  it('opens a window for such an SDK when the page is in a frame', async () => {
    const playground = await Playground.open(journey, { shape: 'navigates', isFramed: 'true' });
    await playground.scrollToTag();
    // It knows the SDK then.
    await playground.tag.getByText('Test', { exact: true }).waitFor();
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.approved);
    await playground.isPaidOnce();
    expect(await waysOf(playground)).toEqual(new Set(['popup']));
    await playground.close();
  });

  it('does so, too, when it learns only in the click that the SDK leaves', async () => {
    const settings = { shape: 'navigates', isFramed: 'true' };
    const playground = await Playground.open(journey, settings, /\/v1\/checkout-config/);
    await playground.scrollToTag();
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.approved);
    await playground.isPaidOnce();
    expect(await waysOf(playground)).toEqual(new Set(['inline', 'popup']));
    await playground.close();
  });

  it('asks for a press on the hosted page when it started automatically in a frame', async () => {
    const settings = { shape: 'navigates', isFramed: 'true', autostart: 'true' };
    const playground = await Playground.open(journey, settings);
    await playground.scrollToTag();
    const framed = playground.shopper.page.frameLocator('#preview > iframe');
    await framed.locator('body.hosted').waitFor();
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.approved);
    await framed.getByRole('link', { name: 'Continue to the shop' }).click();
    await playground.isPaidOnce();
    await playground.close();
  });

  it('shows no link to the shop in an overlay, which has a close button', async () => {
    const playground = await Playground.open(journey, { shape: 'body', mode: 'overlay' });
    await playground.tagButton('Pay').click();
    const framed = playground.shopper.page.frameLocator('pay-checkout iframe');
    await framed.locator('pay-checkout:defined').waitFor();
    await framed.getByRole('heading').waitFor();
    expect(await framed.getByRole('link').count()).toBe(0);
    await playground.close();
  });

  it('comes back as a whole when the page in the frame leaves for the payment', async () => {
    const playground = await Playground.open(journey, { mode: 'redirect', isFramed: 'true' });
    await playground.scrollToTag();
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.approved);
    // In a frame the payment page waits for the page around it, and offers a link in the meantime.
    const framed = playground.shopper.page.frameLocator('#preview > iframe');
    await framed.getByRole('link', { name: 'Continue to the shop' }).click();
    await playground.isPaidOnce();
    expect((await playground.log())[0]).toMatchObject({ name: 'came back' });
    await playground.close();
  });

  it('asks for the address when the shop does not give it', async () => {
    const playground = await Playground.open(journey, { asksAddress: 'true' });
    const { page } = playground.shopper;
    await playground.tagButton('Pay').click();
    const tag = page.locator('pay-checkout');
    await tag.getByLabel('Flat').fill('2');
    await tag.getByLabel('House number or name').fill('14');
    await tag.getByLabel('Postcode').fill('ZZ1 1ZZ');
    await playground.tagButton('Continue').click();
    await playground.pay(CARDS.approved);
    await playground.isPaidOnce();
    await playground.close();
  });

  it.each([
    ['throws', 'sdk_configure_failed'],
    ['missing', 'sdk_not_found'],
  ])('shows the code of an SDK of the shape %s', async (shape, code) => {
    const playground = await Playground.open(journey, { shape, autostart: 'true' });
    await playground.scrollToTag();
    await playground.hears('pay-error');
    const error = (await playground.log()).find(({ name }) => name === 'pay-error');
    expect(error?.details).toMatchObject({ code, retryable: 'true' });
    await playground.shopper.reads(code);
    await playground.close();
  });
});

describe('what the playground lets a person choose', () => {
  it('is every attribute of the tag, but for the nonce, of which it says why not', async () => {
    const readme = new URL('../../packages/widget/README.md', import.meta.url);
    const table = (await readFile(readme, 'utf8')).matchAll(/^\| `([a-z][a-z-]*)` +\| `\w+` +\|/gm);
    const attributes = [...table].map(([, name]) => name);
    expect(attributes).toContain('return-param');
    const playground = await Playground.open(journey, {
      mode: 'overlay',
      autostart: 'true',
      theme: 'dark',
      locale: 'de-DE',
      returnParam: 'paid_by',
      writesServer: 'true',
    });
    const { live } = await playground.compareHtml();
    const set = (live as string[][]).map(([name]) => name).filter((name) => name !== '');
    expect([...set, 'nonce'].sort()).toEqual(attributes.sort());
    await playground.shopper.page.getByText('nonce is left out: this page’s policy').waitFor();
    await playground.close();
  });

  it('is every shape of the SDK that the sandbox has', async () => {
    const response = await fetch(`${journey.addresses.sandboxApi}/sdk/shapes`);
    const { shapes } = (await response.json()) as { shapes: { name: string }[] };
    expect(shapes).toHaveLength(22);
    const playground = await Playground.open(journey);
    const options = await playground.control('shape').locator('option').allTextContents();
    expect(options).toEqual(shapes.map(({ name }) => name));
    await playground.close();
  });

  it('is every test card: its number, which a press copies, and what it does', async () => {
    const playground = await Playground.open(journey);
    expect(await playground.cards()).toEqual(
      SCENARIOS.map(({ cardNumber, title, description }) => ({
        number: cardNumber.replace(/(.{4})(?=.)/g, '$1 '),
        description: `${title}. ${description}`,
        copied: cardNumber,
      })),
    );
    await playground.close();
  });
});

describe('a card of the playground', () => {
  it('that is declined is reported, and another one pays in the same session', async () => {
    const playground = await Playground.open(journey);
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.declined);
    await playground.hears('pay-declined');
    await playground.pay(CARDS.approved);
    await playground.isPaidOnce();
    await playground.close();
  });

  it('that is listed late keeps confirming until the provider lists it', async () => {
    const playground = await Playground.open(journey);
    await playground.tagButton('Pay').click();
    await playground.pay(CARDS.listedLate);
    await playground.shopper.reads(CONFIRMING);
    expect(await playground.payment()).toMatchObject({ transactions: 0 });
    await journey.sandbox.passTime(20);
    await playground.isPaidOnce();
    await playground.close();
  });
});

describe('what took how long on the playground', () => {
  it('has a bar for each thing that was measured, once it is paid', async () => {
    const playground = await payWith({});
    const bars = await playground.bars();
    expect(bars.map(({ name }) => name)).toEqual([
      'paint first drawn',
      'loader SDK loaded',
      'session checkout open',
      'ready form usable',
      'outcome it is known',
    ]);
    for (const { width } of bars) expect(width).toBeGreaterThan(0);
    await playground.close();
  });
});

describe('the HTML that the playground shows', () => {
  it('is that of the tag, and follows every change', async () => {
    const playground = await Playground.open(journey);
    const { page } = playground.shopper;
    const before = await playground.compareHtml();
    expect(before.copied).toEqual(before.live);

    for (const title of ['The tag', 'The page around it', 'Style']) {
      await page.getByText(title, { exact: true }).first().click();
    }
    await playground.control('mode').selectOption('overlay');
    await playground.control('theme').selectOption('dark');
    await playground.control('locale').selectOption('de-DE');
    await playground.control('writesServer').check();
    await playground.control('words').fill('Give "£12" & go');
    await playground.control('returnParam').fill('paid_by');
    await playground.control('lang').selectOption('ar-EG');
    await playground.control('dir').selectOption('rtl');
    await playground.control('radius').selectOption('24px');
    await playground.control('hasOwnColours').check();
    await page.locator('#html', { hasText: '--pay-checkout-accent: #7a2e5d;' }).waitFor();

    const { live, copied } = await playground.compareHtml();
    expect(copied).toEqual(live);
    expect(copied).toEqual(
      expect.arrayContaining([
        ['mode', 'overlay'],
        ['theme', 'dark'],
        ['locale', 'de-DE'],
        ['server', journey.addresses.pay],
        ['return-param', 'paid_by'],
        ['', 'Give "£12" & go'],
      ]),
    );
    const shown = await page.locator('#html').textContent();
    expect(shown).toContain('<div lang="ar-EG" dir="rtl">');
    const token = (copied as string[][]).find(([name]) => name === 'order-token')?.[1] ?? '';
    expect(token.length).toBeGreaterThan(40);
    expect(shown).not.toContain(token);
    const colour = await page.locator('pay-checkout').evaluate((tag) => {
      const button = tag.shadowRoot?.querySelector('[part="button"]');
      return button === null || button === undefined
        ? ''
        : getComputedStyle(button).backgroundColor;
    });
    expect(colour).toBe('rgb(122, 46, 93)');
    await playground.close();
  });
});

describe('a brand of the playground', () => {
  it('is chosen with the keyboard, and comes with the language of its shop', async () => {
    const playground = await Playground.open(journey);
    const { page } = playground.shopper;
    const lookNow = () =>
      playground.tag.evaluate((tag) => {
        const style = getComputedStyle(tag.shadowRoot?.querySelector('[part=card]') ?? tag);
        const { borderRadius, backgroundColor, direction } = style;
        return [borderRadius, backgroundColor, direction];
      });
    await page.getByText('Style', { exact: true }).first().click();
    await page.getByText('The page around it', { exact: true }).first().click();
    await playground.control('brand').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(lookNow).toEqual(['24px', 'rgb(255, 250, 242)', 'ltr']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(lookNow).toEqual(['0px', 'rgb(18, 21, 26)', 'ltr']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(lookNow).toEqual(['8px', 'rgb(251, 253, 249)', 'rtl']);
    await playground.tagButton('ادفع').waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(lookNow).toEqual(['12px', 'rgb(255, 255, 255)', 'ltr']);
    await playground.close();
  });
});

describe('what the playground does to the tag', () => {
  it('moves, clones, closes and starts it again without a second session', async () => {
    const playground = await Playground.open(journey, { autostart: 'true' });
    await playground.scrollToTag();
    await playground.hears('pay-ready');
    await playground.pageButton('Move, with append()').click();
    // The moved form is drawn again, and a press may miss what moves with it.
    const countClones = async (): Promise<number> => {
      await playground.pageButton('Clone').click();
      return (await playground.shopper.page.locator('pay-checkout').count()) - 1;
    };
    await expect.poll(countClones, { interval: 500 }).toBe(1);
    await playground.scrollToClone();
    await playground.hears('clone: pay-ready');
    await playground.press('close()');
    await playground.hears('pay-cancel');
    await playground.press('reset()');
    await playground.press('start()');
    await expect.poll(() => playground.fact('way')).toBe('inline');
    const log = await playground.log();
    const afterStart = log.slice(log.findIndex(({ name }) => name === 'start()'));
    expect(afterStart.map(({ details }) => details['phase'])).toContain('opening');
    await expect.poll(() => playground.payment()).toMatchObject({ sessions: 1 });
    await playground.close();
  });

  it('places a new order of another amount, and refuses an amount that is none', async () => {
    const playground = await Playground.open(journey);
    const first = await playground.order();
    await playground.control('amount').fill('99.50');
    await playground.pageButton('New order').click();
    await expect.poll(() => playground.order()).not.toBe(first);
    await playground.tagButton('Pay').click();
    await playground.shopper.reads('£99.50');
    await playground.control('amount').fill('0.00');
    await playground.pageButton('New order').click();
    await playground.shopper.page.getByText('Give an amount from 0.50 to 9999.99').waitFor();
    await playground.close();
  });
});

describe('the page of the playground', () => {
  it('says that it does not know the order of an address, and has a new one', async () => {
    const playground = await Playground.open(journey, { order: 'Z1', kind: 'return' });
    await playground.isSaid(/does not have the order in the address/);
    await playground.pageButton('New order').click();
    await playground.shopper.page.locator('#notice').waitFor({ state: 'hidden' });
    await playground.close();
  });

  it('says that the script of the tag has not come, and goes on when it has', async () => {
    const playground = await Playground.open(journey);
    const { page } = playground.shopper;
    let arrive = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/v1/pay-checkout.js', async (route) => {
      await arrival;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await playground.isBuilt();
    await playground.press('start()');
    await playground.hears(/start\(\) is not there/);
    arrive();
    await playground.tagButton('Pay').waitFor();
    await playground.press('start()');
    await playground.hears('pay-ready');
    await playground.close();
  });

  it('unfolds the group of a setting that is wrong, so that the browser can say so', async () => {
    const playground = await Playground.open(journey);
    const { page } = playground.shopper;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${journey.addresses.shop}/playground?returnParam=9!`);
    const field = playground.control('returnParam');
    await expect.poll(() => field.evaluate((it) => it === document.activeElement)).toBe(true);
    await field.fill('paid_by');
    // Not by leaving the field: in Firefox a driver's words do not count as a person's.
    await field.evaluate((it: HTMLInputElement) => it.form?.requestSubmit());
    await playground.isBuilt();
    await playground.close();
  });

  it('can be read on a small phone when its letters are twice as large', async () => {
    const playground = await Playground.open(journey, { autostart: 'true' });
    const { page } = playground.shopper;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    await playground.scrollToTag();
    await playground.hears('pay-ready');
    const found = await page.evaluate(() => ({
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      narrow: [...document.querySelectorAll('#phases dd, .break-panels li, #log .what')]
        .filter((words) => words.getBoundingClientRect().width < 150)
        .map((words) => words.textContent),
    }));
    expect(found).toEqual({ sideways: 0, narrow: [] });
    await playground.close();
  });

  it('has no complaint of its own policy, and nothing that is wider than a small phone', async () => {
    const playground = await Playground.open(journey);
    const { page } = playground.shopper;
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.reload();
    await playground.isBuilt();
    await playground.tagButton('Pay').click();
    await playground.hears('pay-ready');
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement: root } = document;
      return { scrollWidth: root.scrollWidth, clientWidth: root.clientWidth };
    });
    expect(scrollWidth).toBe(clientWidth);
    expect(complaints).toEqual([]);
    expect(await page.getByRole('log').count()).toBe(1);
    await playground.close();
  });
});
