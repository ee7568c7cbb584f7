import { readFileSync } from 'node:fs';
import { Router } from 'express';

const ASSETS = [
  ['page.css', 'text/css'],
  ['icon.svg', 'image/svg+xml'],
  ['card-form.js', 'text/javascript'],
  ['challenge.js', 'text/javascript'],
  ['notice.js', 'text/javascript'],
  ['frame-messages.js', 'text/javascript'],
] as const;

/** The styles and scripts of the pages, read once. */
export function pageAssetRoutes(): Router {
  const router = Router();
  for (const [name, type] of ASSETS) {
    const contents = readFileSync(new URL(`../browser/${name}`, import.meta.url));
    router.get(`/${name}`, (_request, response) => {
      response.set('Cache-Control', 'no-cache').type(type).send(contents);
    });
  }
  return router;
}
