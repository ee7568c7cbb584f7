import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Observer } from '../observer.js';

type RequestObserver = Pick<Observer, 'requestAnswered'>;

/** Tells of each request when it is answered, or when its asker has gone. */
export function observeRequests(observer: RequestObserver): RequestHandler {
  return (request, response, next) => {
    observeAnswer(observer, request, response, () => routeOf(request));
    next();
  };
}

/** @param route asked for when the answer is out: until then nobody knows who gives it */
export function observeAnswer(
  observer: RequestObserver,
  { method = '' }: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
  route: () => string,
): void {
  const startedAt = performance.now();
  response.once('close', () => {
    observer.requestAnswered({
      method,
      route: route(),
      status: response.writableFinished ? String(response.statusCode) : 'gone',
      seconds: (performance.now() - startedAt) / 1000,
    });
  });
}

/** Templates by the paths of routes, of which there are a few. */
const templates = new Map<string, string>();

/**
 * The template of the route that took a request: one name however many orders, tokens and ids there
 * are. `none` when no route did.
 */
function routeOf({ route, originalUrl }: Request): string {
  const path = (route as { readonly path?: unknown } | undefined)?.path;
  if (typeof path !== 'string') return 'none';
  let template = templates.get(path);
  if (template === undefined) {
    template = toTemplate(path);
    templates.set(path, template);
  }
  const isWaiting = template === '/checkouts' && /[?&]wait=[1-9]/.test(originalUrl);
  return `${prefixOf(originalUrl)}${template}${isWaiting ? '?wait' : ''}`;
}

function toTemplate(path: string): string {
  return path
    .replace(/:(\w+)/g, '{$1}')
    .replace(/pay-checkout\.[^.]+\.js$/, 'pay-checkout.{hash}.js');
}

/** Where the router is mounted; an error has left it by the time that it is answered. */
function prefixOf(originalUrl: string): string {
  if (originalUrl.startsWith('/v1/')) return '/v1';
  return originalUrl.startsWith('/operator/') ? '/operator' : '';
}
