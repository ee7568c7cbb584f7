import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;
type RunOptions = Parameters<AxeBuilder['options']>[0];

/** WCAG 2.2 A and AA, and what axe recommends beyond them. No rule of theirs is turned off. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Without describing every part of the page that passes. */
const FAST: RunOptions = { preload: false, resultTypes: ['violations', 'incomplete'] };

/** A screen of 1280 by 1024 pixels at 400 %. */
const AT_400_PERCENT = { width: 320, height: 256 };

/** What a colour scheme can change. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

const NARROW = { width: 320, height: 700 };

/** What WCAG 1.4.12 lets a person set. */
const WIDE_TEXT = `* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}
p { margin-block-end: 2em !important; }`;

/**
 * Asserts that a page has no barriers that a program can find: not for axe, in light and dark; not at 400 %
 * with widely spaced text; and that the focus is seen wherever it is.
 */
export async function expectNoBarriers(page: Page, name: string, state: string): Promise<void> {
  await expectContrast(page, name, state, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const results = await analyze(page, (builder) => builder.withTags(TAGS));
  expect.soft(describeAll(results), `${name}: ${state}, light`).toEqual([]);

  const size = page.viewportSize();
  await page.setViewportSize(AT_400_PERCENT);
  expect.soft(await findUnseenFocus(page), `${name}: ${state}, focus at 400 %`).toEqual([]);
  expect.soft(await findCut(page), `${name}: ${state} at 400 %`).toEqual([]);
  if (size) await page.setViewportSize(size);
}

/** Asserts that everything on a page can be read in a colour scheme. */
export async function expectContrast(
  page: Page,
  name: string,
  state: string,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
  const results = await analyze(page, (builder) => builder.withRules(RULES_OF_COLOUR));
  expect.soft(describeAll(results), `${name}: ${state}, ${colorScheme}`).toEqual([]);
}

/**
 * Asserts of a page of the back office that axe finds no violation, in light and dark, and that a narrow phone
 * need not scroll it sideways.
 */
export async function expectAccessiblePage(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await (await axeOf(page)).analyze();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await (await axeOf(page)).withRules(RULES_OF_COLOUR).analyze();
  const found = [...light.violations, ...dark.violations];
  expect(found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(NARROW.width);
  if (size) await page.setViewportSize(size);
}

async function analyze(
  page: Page,
  choose: (builder: AxeBuilder) => AxeBuilder,
): Promise<AxeResults> {
  return choose((await axeOf(page)).options(FAST)).analyze();
}

/** Less than half of the script that `AxeBuilder` brings. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * A page without frames gets axe's script once: `AxeBuilder` brings it twice for each analysis, which takes
 * longer than the analysis. For frames axe opens a page of its own, to put together what it found in each.
 */
async function axeOf(page: Page): Promise<AxeBuilder> {
  if (page.frames().length > 1) return new AxeBuilder({ page, axeSource: AXE });
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return new AxeBuilder({ page, axeSource: ';' }).setLegacyMode();
}

/** What axe found wrong, and what it could not decide. */
function describeAll({ violations, incomplete }: AxeResults): readonly string[] {
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** What is wider than the screen, but for what scrolls in a place of its own, such as a table. */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate((css) => {
    const spacing = new CSSStyleSheet();
    spacing.replaceSync(css);
    document.adoptedStyleSheets.push(spacing);
    const { clientWidth, scrollWidth } = document.documentElement;
    const isUnseen = (one: Element): boolean =>
      one.clientWidth < 2 || one.clientHeight < 2 || one instanceof SVGElement;
    const scrolls = (one: Element): boolean =>
      ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
    const isWide = (one: Element): boolean => {
      const { left, right } = one.getBoundingClientRect();
      if (right <= clientWidth + 1 && left >= -1) return false;
      let around: Element | null = one;
      while (around && !isUnseen(around) && (around === one || !scrolls(around)))
        around = around.parentElement;
      return around === null;
    };
    const wide = [...document.body.querySelectorAll('*')].filter(isWide);
    const page = scrollWidth > clientWidth ? [`the page: ${String(scrollWidth)}`] : [];
    document.adoptedStyleSheets.pop();
    return [...page, ...wide.map((one) => one.outerHTML.slice(0, 120))];
  }, WIDE_TEXT);
}

/** What can have the focus without a ring, or is then off the screen or below something. */
async function findUnseenFocus(page: Page): Promise<string[]> {
  // The browser shows rings to those who use the keyboard.
  await page.keyboard.press('Tab');
  return page.evaluate(() => {
    const roots = [document, ...[...document.querySelectorAll('*')].map((one) => one.shadowRoot)];
    const candidates = roots.flatMap((root) => [
      ...(root?.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex="0"]') ??
        []),
    ]);
    const isSeen = (target: HTMLElement): boolean => {
      const root = target.getRootNode() as Document | ShadowRoot;
      target.focus();
      // Off, or hidden.
      if (root.activeElement !== target) return true;
      const { outlineStyle } = getComputedStyle(target);
      const { left, top, right, bottom } = target.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, Math.max(top + 1, Math.min(bottom, innerHeight) - 1)];
      const above = root.elementFromPoint(x, y);
      const isBelow = above !== null && !target.contains(above) && !above.contains(target);
      return outlineStyle !== 'none' && top < innerHeight && bottom > 0 && !isBelow;
    };
    return candidates.filter((one) => !isSeen(one)).map((one) => one.outerHTML.slice(0, 120));
  });
}
