import { join } from 'node:path';
import express, { Router } from 'express';

/** Where the built page is: next to the sources, or next to the built files. */
const PAGE_FOLDER = join(import.meta.dirname, '../../dist/page');

/** Everything is a file of ours: no inline script or style, no other site, no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page at `/`: what happens in the sandbox, and buttons for it. It uses the control routes. */
export function homeRoutes(): Router {
  const router = Router();
  router.use(
    '/_sandbox/page',
    express.static(PAGE_FOLDER, { index: false, immutable: true, maxAge: '1y' }),
  );
  router.get('/', (_request, response) => {
    response.set('Content-Security-Policy', POLICY);
    response.set('Referrer-Policy', 'no-referrer');
    response.set('Cache-Control', 'no-store');
    response.sendFile(join(PAGE_FOLDER, 'index.html'), { cacheControl: false });
  });
  return router;
}
