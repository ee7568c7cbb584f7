/** Fills the parts that the console's pages share into the HTML at build time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const parts = join(import.meta.dirname, '..', 'src', 'console', 'parts');

/** The pages, in the order of the navigation. */
const PAGES = [
  { path: '/', title: 'Overview' },
  { path: '/transactions', title: 'Transactions' },
  { path: '/transfers', title: 'Transfers' },
  { path: '/reports', title: 'Reports' },
  { path: '/signup-links', title: 'Signup links' },
  { path: '/webhooks', title: 'Webhooks' },
] as const;

/**
 * Replaces `<!-- head: Title -->`, `<!-- header: Title -->`, where the page's own link is marked, and
 * `<!-- result -->`.
 */
export function consoleParts(): Plugin {
  return {
    name: 'console-parts',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace(/<!-- head: (.+) -->/, (_match, title: string) =>
            readPart('head').replace('<!-- title -->', title),
          )
          .replace(/<!-- header: (.+) -->/, (_match, title: string) =>
            readPart('header').replace('<!-- links -->', renderLinks(title)),
          )
          .replace('<!-- result -->', () => readPart('result')),
    },
  };
}

function renderLinks(current: string): string {
  return PAGES.map(({ path, title }) => {
    const mark = title === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${mark}>${title}</a></li>`;
  }).join('\n');
}

function readPart(name: string): string {
  return readFileSync(join(parts, `${name}.html`), 'utf8');
}
