import { executeServerCommand, setViewport } from '@web/test-runner-commands';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import type { Theme } from '../pay-checkout/pay-checkout.js';
import { EVERY_PHASE, redirectNowhere, WITHIN_PHASES } from './every-phase.js';
import { inForcedColors } from './forced-colors.js';
import { TestServer } from './test-server.js';
import { until } from './until.js';

const PREVIEW = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };
const WIDTHS = [280, 390, 1120];
const SHEETS = ['light', 'dark'].flatMap((theme) =>
  [
    ['ltr', 'en-GB'],
    ['rtl', 'ar'],
  ].map(([dir, locale]) => ({ name: `${theme}-${dir}`, theme: theme as Theme, locale })),
);
const MARGIN = 8;

/** Something of a provider's form to see, in the place that the SDK drew in. */
const FORM = ['Card number', 'Expiry date', 'Security code', 'Name on card']
  .map(
    (label) => `<label style="display:block">${label}<br><input style="inline-size:90%"></label>`,
  )
  .join('');

/** Takes the picture of what is on the screen: the card, or the dialog that is above it. */
async function takePicture({ element }: PayCheckoutHarness, name: string): Promise<void> {
  const section = element.renderRoot.querySelector('section') as Element;
  for (const animation of section.getAnimations({ subtree: true })) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  }
  const { top, bottom } = section.getBoundingClientRect();
  const clip = {
    x: 0,
    y: Math.max(0, top - MARGIN),
    width: innerWidth,
    height: bottom - top + 2 * MARGIN,
  };
  await executeServerCommand('take-picture', { name, clip });
}

/** How many states have been taken; the names of the files begin with it. */
let taken = 0;

async function takeAll(harness: PayCheckoutHarness, what: string): Promise<void> {
  const { element } = harness;
  const { style } = document.documentElement;
  taken += 1;
  const state = `${String(taken).padStart(2, '0')}-${what.replaceAll(' ', '-')}`;
  const file = (sheet: string, width: number): string => `${sheet}/${state}-${String(width)}.png`;
  for (const width of WIDTHS) {
    await setViewport({ width, height: 900 });
    for (const { name, theme, locale = '' } of SHEETS) {
      element.theme = theme;
      element.locale = locale;
      style.colorScheme = theme;
      const section = element.renderRoot.querySelector('section') as HTMLElement;
      await until(() => locale.startsWith(section.lang));
      await takePicture(harness, file(name, width));
    }
    await inForcedColors(async () => {
      element.locale = 'en-GB';
      await element.updateComplete;
      await takePicture(harness, file('forced-colours', width));
    });
  }
}

describe('pictures', () => {
  let server: TestServer;
  before(() => {
    document.body.style.cssText = `margin: 0 ${String(MARGIN)}px; font: 16px / 1.5 'DejaVu Sans', Arial, sans-serif`;
  });
  beforeEach(async () => {
    const preview = { status: 200, body: PREVIEW };
    server = await new TestServer().start({ preview, hasLanguages: true });
  });

  it('idle while the price loads', async () => {
    await server.set({ holdPreview: true });
    const harness = await PayCheckoutHarness.place(server);
    await until(() => server.sdk !== undefined);
    await takeAll(harness, 'idle while the price loads');
    await server.set({ holdPreview: false });
  });

  for (const [what, reach] of [...EVERY_PHASE, ...WITHIN_PHASES]) {
    it(what, async () => {
      const harness = await PayCheckoutHarness.place(server);
      const { renderRoot } = harness.element;
      await until(() => renderRoot.querySelector('[part="amount"]') !== null);
      await (what === 'redirecting' ? redirectNowhere : reach)(harness);
      if (harness.form?.querySelector('button')) harness.form.innerHTML = FORM;
      await takeAll(harness, what);
      harness.element.close();
      await server.set({ holdOpen: false, holdStatus: false });
    });
  }
});
