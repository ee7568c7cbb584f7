import type { Request, RequestHandler } from 'express';
import type { Observer } from '../observer.js';

/** Notifies the observer of each request when it is answered, or when its client has gone. */
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
export function routeOf({ route, originalUrl }: Request): string {
  const path = (route as { readonly path?: unknown } | undefined)?.path;
  if (typeof path !== 'string') return 'none';
  const template = path
    .replace(/:(\w+)/g, '{$1}')
    .replace(/pay-checkout\.[^.]+\.js$/, 'pay-checkout.{hash}.js');
  const isWaiting = template === '/checkouts' && /[?&]wait=[1-9]/.test(originalUrl);
  return `${prefixOf(originalUrl)}${template}${isWaiting ? '?wait' : ''}`;
}

/** Where the router is mounted; an error has left it by the time that it is answered. */
function prefixOf(originalUrl: string): string {
  if (originalUrl.startsWith('/v1/')) return '/v1';
  return ['/operator', '/page'].find((prefix) => originalUrl.startsWith(`${prefix}/`)) ?? '';
}
