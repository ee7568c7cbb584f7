import { z } from 'zod';
import { type Colour, contrastOf, MIN_SHAPE_CONTRAST, SURFACES, textOn } from './contrast.js';

export const MAX_RADIUS_PX = 24;

/** Fonts of the shopper's own device: nothing is loaded, and none is named by a merchant. */
export const FONTS = {
  system: 'system-ui, sans-serif',
  humanist: "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', sans-serif",
  geometric: "Avenir, Montserrat, Corbel, 'URW Gothic', sans-serif",
  rounded: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, Manjari, sans-serif",
  serif: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, serif",
  monospace: "ui-monospace, 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
} as const;

type Font = keyof typeof FONTS;

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'expected "#" and six hexadecimal digits, such as "#7a2e5d"');

/** `brand` of a merchant entry: how the hosted page and the return page look. */
export const brandSettings = z.strictObject({
  /** Instead of the entry's `name`. */
  name: z
    .string()
    .max(60)
    .regex(/^\S(.*\S)?$/, 'expected a line of text, such as "The Tea Shop"')
    .optional(),
  /** Name of a file in the folder of the merchants file. */
  logo: z
    .string()
    .regex(
      /^([\w-][\w.-]*\/)*[\w-][\w.-]*$/,
      'expected the name of a PNG, JPEG or WebP file in the folder of the merchants file, such as "logos/teashop.png"',
    )
    .optional(),
  /** One colour, or one for each surface. */
  accent: z
    .union(
      [
        colour.transform((one) => ({ light: one, dark: one })),
        z.strictObject({ light: colour, dark: colour }),
      ],
      {
        error:
          'expected a colour such as "#7a2e5d", or one for each surface: {"light": "#7a2e5d", "dark": "#e3a3c8"}',
      },
    )
    .optional(),
  /** Corners of the card, in pixels. */
  radius: z.int().min(0).max(MAX_RADIUS_PX).optional(),
  font: z.enum(Object.keys(FONTS) as [Font, ...Font[]]).optional(),
});

export type Brand = z.infer<typeof brandSettings>;

interface Branded {
  readonly brand?: Brand | undefined;
}

/** The name that shoppers see. */
export function shopNameOf({ name, brand }: Branded & { readonly name: string }): string {
  return brand?.name ?? name;
}

/** The tokens of a brand as CSS declarations; empty when it sets none. */
export function brandTokens({ accent, radius, font }: Brand = {}): string {
  const tokens: Readonly<Record<string, string | undefined>> = {
    accent: accent && `light-dark(${accent.light}, ${accent.dark})`,
    'on-accent': accent && `light-dark(${textOn(accent.light)}, ${textOn(accent.dark)})`,
    radius: radius === undefined ? undefined : `${radius}px`,
    font: font && FONTS[font],
  };
  return Object.entries(tokens)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--pay-checkout-${name}: ${value};`)
    .join(' ');
}

/** An accent that is hard to see: `accent_low_contrast` of `docs/error-codes.md`. */
export interface BrandWarning {
  readonly code: 'accent_low_contrast';
  readonly surface: keyof typeof SURFACES;
  readonly accent: Colour;
  /** Rounded down, so that what is below the limit also reads so. */
  readonly ratio: number;
  readonly needed: number;
}

export function findBrandWarnings({ brand }: Branded): BrandWarning[] {
  const { accent } = brand ?? {};
  if (!accent) return [];
  return (['light', 'dark'] as const)
    .map((surface) => ({ surface, ratio: contrastOf(accent[surface], SURFACES[surface]) }))
    .filter(({ ratio }) => ratio < MIN_SHAPE_CONTRAST)
    .map(({ surface, ratio }) => ({
      code: 'accent_low_contrast',
      surface,
      accent: accent[surface],
      ratio: Math.floor(ratio * 100) / 100,
      needed: MIN_SHAPE_CONTRAST,
    }));
}
