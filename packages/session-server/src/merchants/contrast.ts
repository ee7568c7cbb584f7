/** A colour as `#rrggbb`. */
export type Colour = string;

/** The surfaces of the element and of our pages, as their style sheets have them. */
export const SURFACES = { light: '#ffffff', dark: '#1a1d24' } as const;

/** What WCAG 2.2 asks of a focus ring and of the shape of a control (1.4.11, 2.4.7). */
export const MIN_SHAPE_CONTRAST = 3;

/** The contrast of two colours by WCAG 2.2, from 1 to 21. */
export function contrastOf(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted(
    (a, b) => a - b,
  );
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, whichever reads better on a colour: always at least 4.5 (WCAG 2.2, 1.4.3). */
export function textOn(colour: Colour): '#000000' | '#ffffff' {
  return contrastOf('#ffffff', colour) >= contrastOf('#000000', colour) ? '#ffffff' : '#000000';
}

/** The relative luminance of WCAG 2.2, from 0 to 1. */
function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
