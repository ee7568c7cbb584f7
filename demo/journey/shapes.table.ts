import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { Playground } from './playground.js';
import { CARDS } from './shopper.js';

const MODES = ['auto', 'inline', 'overlay', 'popup', 'redirect'] as const;
type Mode = (typeof MODES)[number];

const LEFT = 'left, came back';
/** The way that is chosen in each of the modes, in their order. */
const USUAL = ['inline', 'inline', 'overlay', 'popup', LEFT];
const WAYS: Readonly<Record<string, readonly string[]>> = {
  promise: USUAL,
  handle: USUAL,
  nothing: USUAL,
  string: USUAL,
  alone: USUAL,
  constructed: USUAL,
  element: USUAL,
  body: USUAL,
  opened: USUAL,
  popup: USUAL,
  window: USUAL,
  cancels: USUAL,
  inpage: USUAL,
  navigates: [LEFT, LEFT, LEFT, 'popup', LEFT],
  late: USUAL,
  slow: USUAL,
};
const SHAPES = Object.keys(WAYS);

/** The hosted page starts automatically, and a window is opened in a press only: in the same session. */
const NEED_PRESS = ['popup overlay', 'popup redirect', 'window redirect'];

/** How a shopper gives up inside the SDK, and goes on in the tag after all. */
const DETOURS: Readonly<Record<string, (playground: Playground, tag: Locator) => Promise<void>>> = {
  async window(playground, tag) {
    await playground.closeForm();
    await tag.getByRole('button', { name: 'Cancel payment', exact: true }).waitFor();
    await tag.getByRole('button', { name: 'Show the payment form' }).click();
  },
  async cancels(_playground, tag) {
    await tag.getByRole('button', { name: 'Cancel the payment' }).click();
    await tag.getByText('You left the payment form. You can try again.').waitFor();
    await tag.getByRole('button', { name: 'Pay' }).click();
  },
};

/** The tag around the form: the page's own one, or that of the hosted page. */
async function findTag({ shopper, tag }: Playground, mode: Mode): Promise<Locator> {
  if (mode !== 'popup') return tag;
  const findHosted = () =>
    shopper.page
      .context()
      .pages()
      .find((page) => page.url().startsWith(journey.addresses.pay));
  await expect.poll(findHosted).toBeDefined();
  return findHosted()!.locator('pay-checkout');
}

const results = new Map<string, string>();
let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({
    env: { 'session-server': { PAY_LOG_LEVEL: 'error' } },
    tuning: { rateLimits: { createPerAddress: 6000 } },
  });
});
afterAll(async () => {
  await journey.stop();
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = SHAPES.map((shape) =>
    row([shape, ...MODES.map((mode) => results.get(`${shape} ${mode}`) ?? 'not tried')]),
  );
  console.log(
    [row(['shape', ...MODES]), row(['---', ...MODES.map(() => '---')]), ...lines].join('\n'),
  );
});

/** `npm run shapes` pays once for each, after its detour, and prints the way that was chosen. */
describe.each(SHAPES)('an SDK of the shape %s', (shape) => {
  it.each(MODES)('is paid once in mode %s, in the way that it should', async (mode) => {
    const playground = await Playground.open(journey, { shape, mode });
    const { page } = playground.shopper;
    results.set(`${shape} ${mode}`, 'not paid');
    try {
      await playground.tagButton('Pay').click();
      if (NEED_PRESS.includes(`${shape} ${mode}`)) {
        const hosted = mode === 'overlay' ? page.frameLocator('pay-checkout iframe') : page;
        await hosted.getByRole('button', { name: 'Try again' }).click();
      }
      await DETOURS[shape]?.(playground, await findTag(playground, mode));
      await playground.pay(CARDS.approved);
      await playground.isPaidOnce();
      expect(await playground.log()).not.toContainEqual(
        expect.objectContaining({ name: 'pay-error' }),
      );
      const ways = (await playground.log()).flatMap(({ details }) => details['mode'] ?? []);
      const isBack = (await playground.log()).some(({ name }) => name === 'came back');
      const way = isBack ? LEFT : (ways.at(-1) ?? '');
      results.set(`${shape} ${mode}`, way);
      expect(way).toBe(WAYS[shape]?.[MODES.indexOf(mode)]);
    } catch (error) {
      const events = (await playground.log().catch(() => [])).map(({ name, details }) =>
        [name, details['phase'], details['code']].filter(Boolean).join(':'),
      );
      const where = page
        .context()
        .pages()
        .flatMap((one) => one.frames().map((frame) => frame.url()));
      console.log(shape, mode, events.join(' '), where.join(' '));
      throw error;
    } finally {
      await playground.close();
    }
  });
});
