import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Router } from 'express';

const script = readFileSync(new URL('../browser/checkout.js', import.meta.url));

/** Subresource Integrity of the SDK's script. */
export const SDK_INTEGRITY = `sha384-${createHash('sha384').update(script).digest('base64')}`;

/**
 * `/sdk/checkout.js`: the client SDK whose `configure()` takes a `session_id` (spec 2.4). Served to
 * every origin, so that a page can load it with `crossorigin` and `integrity`.
 */
export function sdkRoutes(): Router {
  return Router().get('/checkout.js', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*');
    response.set('Cross-Origin-Resource-Policy', 'cross-origin');
    response.set('Timing-Allow-Origin', '*');
    response.set('Cache-Control', 'public, max-age=60');
    response.type('text/javascript').send(script);
  });
}
