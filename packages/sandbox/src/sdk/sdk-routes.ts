import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Router, type Response } from 'express';
import type { SandboxContext } from '../context.js';
import { failAs } from '../faults/play-fault.js';
import { ApiError } from '../http/errors.js';
import { listSdkShapes } from './sdk-shapes.js';

const script = readFileSync(new URL('../browser/checkout.js', import.meta.url));
const shapes = readFileSync(new URL('../browser/sdk-shapes.js', import.meta.url));
const SLOW_MILLISECONDS = 3000;

/** Subresource Integrity of the SDK's script. */
export const SDK_INTEGRITY = `sha384-${createHash('sha384').update(script).digest('base64')}`;

/**
 * `/sdk/checkout.js`: the client SDK whose `configure()` takes a `session_id` (spec 2.4). Every origin
 * may read it, so that a page can load it with `crossorigin` and `integrity`.
 * `/sdk/shapes`: the shapes it may have. `/sdk/shapes/{name}.js`: their scripts.
 */
export function sdkRoutes(context: SandboxContext): Router {
  const router = Router();
  const fail = failAs(context, 'sdk-script');
  router.use((_request, response, next) => {
    response.set('Access-Control-Allow-Origin', '*');
    response.set('Cross-Origin-Resource-Policy', 'cross-origin');
    response.set('Timing-Allow-Origin', '*');
    next();
  });
  router.get('/checkout.js', fail, (_request, response) => {
    sendScript(response, [script]);
  });
  router.get('/shapes', (request, response) => {
    const origin = `${request.protocol}://${request.get('host') ?? ''}`;
    response.set('Cache-Control', 'no-store').json({ shapes: listSdkShapes(origin) });
  });
  router.get('/shapes/:name.js', fail, async (request, response) => {
    const { name } = request.params;
    const isKnown = listSdkShapes('').some((shape) => shape.name === name);
    if (!isKnown || name === 'missing') throw new ApiError(404, 'The SDK has no such shape.');
    if (name === 'failing') throw new ApiError(503, 'This shape of the SDK is never available.');
    if (name === 'slow') await pause(SLOW_MILLISECONDS);
    sendScript(response, [script, shapes]);
  });
  return router;
}

function sendScript(response: Response, parts: readonly Buffer[]): void {
  // A kept script would not meet the next fault.
  response.set('Cache-Control', 'no-cache');
  response.type('text/javascript').send(Buffer.concat(parts));
}
