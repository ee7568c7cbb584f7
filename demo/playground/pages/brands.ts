/** Three brands made of tokens only, to try on the tag. `docs/theming.md` shows them. */

export interface Brand {
  /** Language and direction of the page of such a shop. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  /** CSS declarations. */
  readonly style: Readonly<Record<string, string>>;
}

export const BRANDS: Readonly<Record<string, Brand>> = {
  marmalade: {
    lang: 'en-GB',
    dir: 'ltr',
    style: {
      '--pay-checkout-accent': 'light-dark(#b3401a, #ffb08f)',
      '--pay-checkout-on-accent': 'light-dark(#ffffff, #3b1200)',
      '--pay-checkout-surface': 'light-dark(#fffaf2, #2a1f1a)',
      '--pay-checkout-text': 'light-dark(#3a2417, #f7e9dd)',
      '--pay-checkout-muted': 'light-dark(#75594a, #c9b3a4)',
      '--pay-checkout-border': 'light-dark(#ecdcc8, #4d3b31)',
      '--pay-checkout-font': "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, sans-serif",
      '--pay-checkout-radius': '24px',
      '--pay-checkout-gap': '18px',
      '--pay-checkout-control-height': '56px',
    },
  },
  slate: {
    lang: 'en-GB',
    dir: 'ltr',
    style: {
      'color-scheme': 'dark',
      '--pay-checkout-accent': '#c6f24e',
      '--pay-checkout-on-accent': '#12140a',
      '--pay-checkout-surface': '#12151a',
      '--pay-checkout-text': '#f2f4f7',
      '--pay-checkout-muted': '#a7b0be',
      '--pay-checkout-border': '#3a414d',
      '--pay-checkout-font': "ui-monospace, 'Cascadia Code', Menlo, monospace",
      '--pay-checkout-radius': '0px',
      '--pay-checkout-gap': '14px',
    },
  },
  oasis: {
    lang: 'ar-EG',
    dir: 'rtl',
    style: {
      '--pay-checkout-accent': 'light-dark(#0b6b5b, #6fdcc6)',
      '--pay-checkout-on-accent': 'light-dark(#ffffff, #00201a)',
      '--pay-checkout-surface': 'light-dark(#fbfdf9, #14201d)',
      '--pay-checkout-border': 'light-dark(#cfdfd6, #33463f)',
      '--pay-checkout-good': 'light-dark(#0b6b5b, #6fdcc6)',
      '--pay-checkout-font': "'Noto Naskh Arabic', 'Geeza Pro', 'Segoe UI', Tahoma, sans-serif",
      '--pay-checkout-radius': '8px',
    },
  },
};
