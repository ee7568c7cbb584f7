import { type Response, Router } from 'express';
import {
  hashedNameOf,
  type PageAsset,
  readEarlierScripts,
  readOwnAsset,
  readWidgetScript,
} from './page-asset.js';

const YEAR = 'public, max-age=31536000, immutable';

/**
 * The element's script, under a plain name that always works and under a hashed name for pages that
 * pin it with Subresource Integrity, and the few files of our own pages. Earlier versions are kept
 * under their hashed names, so that pages that have pinned them go on paying after a release.
 *
 * @throws {ConfigError} when a script cannot be read
 */
export function assetRoutes(
  widgetScript: string,
  earlierWidgetScripts: readonly string[] = [],
): Router {
  const router = Router();
  const script = readWidgetScript(widgetScript);

  router.get('/pay-checkout.js', (_request, response) => {
    send(response, script, 'public, max-age=300, stale-while-revalidate=86400');
  });
  for (const version of [script, ...readEarlierScripts(earlierWidgetScripts)]) {
    router.get(`/${hashedNameOf(version)}`, (_request, response) => {
      send(response, version, YEAR);
    });
  }
  router.get('/pay-checkout.json', (_request, response) => {
    response.setHeader('cache-control', 'public, max-age=300');
    response.setHeader('access-control-allow-origin', '*');
    response.json({ script: `/v1/${hashedNameOf(script)}`, integrity: script.integrity });
  });
  for (const name of ['return.js', 'hosted.js', 'page.css'] as const) {
    const asset = readOwnAsset(name);
    router.get(`/assets/${name}`, (_request, response) => {
      send(response, asset, 'public, max-age=300');
    });
  }
  return router;
}

function send(response: Response, asset: PageAsset, cacheControl: string): void {
  response.setHeader('content-type', `${asset.type}; charset=utf-8`);
  response.setHeader('cache-control', cacheControl);
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('x-content-type-options', 'nosniff');
  response.send(asset.body);
}
