import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Response, Router } from 'express';
import { ConfigError } from '../errors.js';

const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));
const YEAR = 'public, max-age=31536000, immutable';

interface Asset {
  readonly body: Buffer;
  readonly type: string;
  readonly integrity: string;
}

/**
 * The element's script, under a plain name that always works and under a hashed name for pages that
 * pin it with Subresource Integrity, and the few files of our own pages.
 *
 * @throws {ConfigError} when the element's script cannot be read
 */
export function assetRoutes(widgetScript: string): Router {
  const router = Router();
  const script = readScript(widgetScript);
  const hashed = `/pay-checkout.${script.integrity.slice(7, 23).replace(/[+/=]/g, '0')}.js`;

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
  for (const [name, type] of [
    ['return.js', 'text/javascript'],
    ['hosted.js', 'text/javascript'],
    ['page.css', 'text/css'],
  ] as const) {
    const asset = readAsset(`${ASSETS}${name}`, type);
    router.get(`/assets/${name}`, (_request, response) => {
      send(response, asset, 'public, max-age=300');
    });
  }
  return router;
}

function send(response: Response, asset: Asset, cacheControl: string): void {
  response.setHeader('content-type', `${asset.type}; charset=utf-8`);
  response.setHeader('cache-control', cacheControl);
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('x-content-type-options', 'nosniff');
  response.send(asset.body);
}

function readScript(path: string): Asset {
  try {
    return readAsset(path, 'text/javascript');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ConfigError('environment', [
      `PAY_WIDGET_SCRIPT: expected the path of pay-checkout.js; it cannot be read (${code})`,
    ]);
  }
}

function readAsset(path: string, type: string): Asset {
  const body = readFileSync(path);
  return { body, type, integrity: `sha384-${createHash('sha384').update(body).digest('base64')}` };
}
