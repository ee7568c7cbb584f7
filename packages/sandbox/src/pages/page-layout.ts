import type { Response } from 'express';
import { html, type Html } from './html.js';

/** A page of the sandbox. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Module under `/pages/assets/`. Default none. */
  readonly script?: string;
  /** `frame`: inside a shop's page. `page`: a page of its own. */
  readonly layout: 'frame' | 'page';
  /** Default English. */
  readonly language?: { readonly locale: string; readonly dir: 'ltr' | 'rtl' };
  /** Origin of the page around the frame. Messages go only there. */
  readonly parentOrigin?: string | undefined;
  readonly session?: string | undefined;
  /** Failure code for the SDK. */
  readonly failure?: string | undefined;
  /** Text of a page without a form, for the SDK. */
  readonly notice?: string | undefined;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
];

/** Writes a page with a strict Content Security Policy: no inline script, no inline style. */
export function sendPage(response: Response, status: number, page: Page): void {
  const policy = page.layout === 'frame' ? POLICY : [...POLICY, "frame-ancestors 'none'"];
  response.set('Content-Security-Policy', policy.join('; '));
  response.set('Referrer-Policy', 'no-referrer');
  response.set('Cache-Control', 'no-store');
  response.status(status).type('html').send(renderPage(page));
}

function renderPage(page: Page): string {
  const { locale, dir } = page.language ?? { locale: 'en', dir: 'ltr' };
  const { markup } = html`<!doctype html>
    <html lang="${locale}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title}</title>
        <link rel="icon" href="/pages/assets/icon.svg" />
        <link rel="stylesheet" href="/pages/assets/page.css" />
        ${page.script === undefined ? undefined : scriptTag(page.script)}
      </head>
      <body class="${page.layout}" ${dataAttributes(page)}>
        <section class="ribbon" aria-label="Sandbox" lang="en" dir="ltr">
          <strong>Sandbox</strong>: no money moves
        </section>
        <main aria-label="${page.title}">${page.body}</main>
      </body>
    </html>`;
  return markup;
}

function scriptTag(name: string): Html {
  return html`<script type="module" src="/pages/assets/${name}"></script>`;
}

function dataAttributes(page: Page): Html[] {
  const data: readonly (readonly [string, string | undefined])[] = [
    ['data-session', page.session],
    ['data-parent-origin', page.parentOrigin],
    ['data-failure', page.failure],
    ['data-notice', page.notice],
  ];
  return data
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html` ${name}="${value}"`);
}
