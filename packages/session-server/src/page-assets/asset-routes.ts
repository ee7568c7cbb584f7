import { type Response, Router } from 'express';
import { hashedNameOf, type PageAsset, readOwnAsset, readWidgetScript } from './page-asset.js';

const YEAR = 'public, max-age=31536000, immutable';

/**
 * The element's script, under a plain name that always works and under a hashed name for pages that
 * pin it with Subresource Integrity, and the few files of our own pages.
 *
 * @throws {ConfigError} when the element's script cannot be read
 */
export function assetRoutes(widgetScript: string): Router {
  const router = Router();
  const script = readWidgetScript(widgetScript);
  const hashed = `/${hashedNameOf(script)}`;

  router.get('/pay-checkout.js', (_request, response) => {
    send(response, script, 'public, max-age=300, stale-while-revalidate=86400');
  });
  router.get(hashed, (_request, response) => {
    send(response, script, YEAR);
  });
  router.get('/pay-checkout.json', (_request, response) => {
    response.setHeader('cache-control', 'public, max-age=300');
    response.setHeader('access-control-allow-origin', '*');
    response.json({ script: `/v1${hashed}`, integrity: script.integrity });
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
