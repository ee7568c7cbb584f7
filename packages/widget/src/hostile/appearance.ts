import type { MerchantPage } from '../testing/merchant-page.js';

/** The element that a finger would touch there, inside the element's shadow too. */
function touchedAt({ element, page }: MerchantPage, x: number, y: number): Element | null {
  const outer = page.document.elementFromPoint(x, y);
  return outer === element ? (element.shadowRoot?.elementFromPoint(x, y) ?? null) : outer;
}

/** Whether a finger on the middle of `target` touches it. */
export function isTouchable(page: MerchantPage, target: Element): boolean {
  target.scrollIntoView({ block: 'center' });
  const { x, y, width, height } = target.getBoundingClientRect();
  const touched = touchedAt(page, x + width / 2, y + height / 2);
  return touched !== null && (target.contains(touched) || touched.contains(target));
}

/** Contrast of WCAG between the words of `target` and what is behind them. */
export function contrastOf({ page }: MerchantPage, target: Element): number {
  const { color, backgroundColor } = page.getComputedStyle(target);
  const [lighter = 0, darker = 0] = [luminanceOf(color), luminanceOf(backgroundColor)].toSorted(
    (one, other) => other - one,
  );
  return (lighter + 0.05) / (darker + 0.05);
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((text) => {
    const part = Number(text) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
