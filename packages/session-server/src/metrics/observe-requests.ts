import type { Request, RequestHandler } from 'express';
import type { Observer } from './observer.js';

/** Tells of each request when it is answered, or when its asker has gone. */
export function observeRequests(observer: Pick<Observer, 'requestAnswered'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      observer.requestAnswered({
        method: request.method,
        route: routeOf(request),
        status: response.writableFinished ? String(response.statusCode) : 'gone',
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
    next();
  };
}

/**
 * The template of the route that took a request: one name however many orders, tokens and ids there
 * are. `none` when no route did.
 */
export function routeOf(request: Request): string {
  const path = (request.route as { readonly path?: unknown } | undefined)?.path;
  if (typeof path !== 'string') return 'none';
  const template = path
    .replace(/:(\w+)/g, '{$1}')
    .replace(/pay-checkout\.[^.]+\.js$/, 'pay-checkout.{hash}.js');
  const isWaiting = template === '/checkouts' && /[?&]wait=[1-9]/.test(request.originalUrl);
  return `${prefixOf(request)}${template}${isWaiting ? '?wait' : ''}`;
}

/** Where the router is mounted; an error has left it by the time that it is answered. */
function prefixOf({ originalUrl }: Request): string {
  return /^\/(v1|operator)(?=\/)/.exec(originalUrl)?.[0] ?? '';
}
