/** Serves the built pages: assets for ever, pages always fresh, our settings filled in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';

const ASSET_MAX_AGE = '365d';

export interface SiteOptions {
  /** Where `vite build` put the site. */
  readonly directory: string;
  /** What stands for `{{name}}` in the pages. */
  readonly values: Readonly<Record<string, string>>;
  /** HTML that stands for `<!-- drawer -->` in the pages. Default: nothing. */
  readonly drawer?: string;
}

/** `/`, `/basket`, … from `index.html`, `basket.html`, …, and everything they load. */
export function siteRoutes({ directory, values, drawer = '' }: SiteOptions): Router {
  const router = Router();
  const pages = readPages(directory, values, drawer);

  router.use(
    '/assets',
    express.static(join(directory, 'assets'), {
      immutable: true,
      maxAge: ASSET_MAX_AGE,
    }),
  );
  router.get('/{:page}', (request, response, next) => {
    const html = pages.get(request.params.page ?? 'index');
    if (html === undefined) {
      next();
      return;
    }
    // The address may name an order, and the page behind it belongs to one browser.
    response.set('Cache-Control', 'no-cache').type('html').send(html);
  });
  router.use(express.static(directory, { index: false, maxAge: '1h' }));
  router.use((request, response, next) => {
    const notFound = pages.get('404');
    if (notFound === undefined || /^\/(api|assets)\//.test(request.path)) {
      next();
      return;
    }
    response.status(404).type('html').send(notFound);
  });
  return router;
}

function readPages(
  directory: string,
  values: Readonly<Record<string, string>>,
  drawer: string,
): ReadonlyMap<string, string> {
  const files = readdirSync(directory).filter((file) => file.endsWith('.html'));
  return new Map(
    files.map((file) => [
      file.slice(0, -'.html'.length),
      fillIn(readFileSync(join(directory, file), 'utf8'), values).replace(
        '<!-- drawer -->',
        () => drawer,
      ),
    ]),
  );
}

function fillIn(html: string, values: Readonly<Record<string, string>>): string {
  return html.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A page asks for {{${name}}}, which has no value.`);
    return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  });
}
