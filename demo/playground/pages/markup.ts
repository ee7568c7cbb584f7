/** Writes what is on the page as HTML that a person can paste into a page of their own. */
import type { Attribute } from './settings.js';

export interface MarkupParts {
  readonly script: string;
  readonly css: string;
  /** Of the page around the tag. */
  readonly lang: string;
  readonly dir: string;
  readonly attributes: readonly Attribute[];
  /** Words in the slot `pay`; empty for none. */
  readonly words: string;
}

const USUAL = { lang: 'en-GB', dir: 'ltr' };
const SHOWN_OF_TOKEN = 12;

/** The whole, line by line. */
export function writeMarkup(parts: MarkupParts): string {
  const { script, css, lang, dir, attributes, words } = parts;
  const tag = writeTag(attributes, words);
  const isUsual = lang === USUAL.lang && dir === USUAL.dir;
  return [
    `<script src="${escape(script)}" async crossorigin></script>`,
    ...(css === '' ? [] : [`<style>\n${indent(css)}\n</style>`]),
    isUsual ? tag : `<div lang="${escape(lang)}" dir="${escape(dir)}">\n${indent(tag)}\n</div>`,
  ].join('\n');
}

/** The order token with its end left out, for the eyes. */
export function shortenToken(attributes: readonly Attribute[]): readonly Attribute[] {
  return attributes.map(([name, value]) =>
    name === 'order-token' && value.length > SHOWN_OF_TOKEN
      ? [name, `${value.slice(0, SHOWN_OF_TOKEN)}…`]
      : [name, value],
  );
}

function writeTag(attributes: readonly Attribute[], words: string): string {
  const lines = attributes.map(([name, value]) =>
    value === '' ? `  ${name}` : `  ${name}="${escape(value)}"`,
  );
  const slot = words === '' ? '' : `\n  <span slot="pay">${escape(words)}</span>\n`;
  return ['<pay-checkout', ...lines, `>${slot}</pay-checkout>`].join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
