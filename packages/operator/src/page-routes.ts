import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import {
  AppError,
  type Clock,
  type Config,
  type Database,
  isSame,
  jsonBody,
  KeyAttempts,
  type OperatorAccess,
  parse,
} from '@pay-checkout/session-server/internals';
import type { SessionView } from './page-view.js';
import {
  cookieOf,
  endSessions,
  findSessions,
  makeSessionToken,
  type PageSession,
  readSessionToken,
} from './page-session.js';

/** Where the built page is: next to the sources, or next to the built files. */
const PAGE_FOLDER = join(import.meta.dirname, '../dist/page');
/** Wrong keys of one address in a minute. */
const WRONG_KEYS = 10;
const MAX_BODY_BYTES = 16_384;
/** No page of another site can send it without asking first, and no one is answered who asks. */
const PAGE_HEADER = 'x-pay-operator';

export interface PageOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Without a key there is no page. */
  readonly access: Pick<OperatorAccess, 'keys' | 'consoleUrl'>;
  readonly config: Pick<Config, 'environment' | 'trustProxy'>;
  /** What the page reads and does, at `/page`: only for a person who has signed in. */
  readonly routes: readonly Router[];
}

/** The operator's page: its files, the sign-in, and what it reads. Mounted before the routes of programs. */
export function pageRoutes(options: PageOptions): Router {
  const { database, clock, routes } = options;
  const { keys, consoleUrl } = options.access;
  const { environment, trustProxy } = options.config;
  const attempts = new KeyAttempts(WRONG_KEYS);
  const sessionsOf = (request: Request) => findSessions(database, request, keys(), clock.now());
  const toView = (session: PageSession | undefined): SessionView | null =>
    session
      ? { actor: session.actor, expiresAt: session.expiresAt, environment, consoleUrl }
      : null;
  const router = Router();
  router.use((_request, _response, next) => {
    next(keys().length === 0 ? 'router' : undefined);
  });
  router.use(
    express.static(PAGE_FOLDER, {
      redirect: false,
      setHeaders: (response, path) => {
        response.setHeader('content-security-policy', POLICY);
        response.setHeader('cache-control', path.endsWith('.html') ? 'no-store' : IMMUTABLE);
      },
    }),
  );
  const page = express();
  page.disable('x-powered-by');
  page.set('etag', 'weak');
  // Mounted by a router, it takes over nothing of the app.
  page.set('trust proxy', trustProxy);
  page.use(requireOwnPage);

  page.post('/session', ...jsonBody(MAX_BODY_BYTES), async (request, response) => {
    const { key: given } = parse(signInBody, request.body);
    const find = () => keys().find((key) => isSame(given, key.reveal()));
    const key = await attempts.check(request, given, find);
    if (!key) {
      throw new AppError(
        401,
        'operator_key_refused',
        'This is none of the keys of PAY_OPERATOR_KEY.',
      );
    }
    const { name, attributes } = cookieOf(isSecure(request));
    const token = makeSessionToken(key, clock.now());
    response.setHeader('set-cookie', `${name}=${token}; ${attributes}`);
    response.json(toView(readSessionToken(token, keys(), clock.now())));
  });

  page.delete('/session', async (request, response) => {
    await endSessions(database, await sessionsOf(request), clock.now());
    const { name, attributes } = cookieOf(isSecure(request));
    response.setHeader('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
    response.status(204).end();
  });

  // Not an error: the page asks before anyone has signed in.
  page.get('/session', async (request, response) => {
    const [session] = await sessionsOf(request);
    response.json(toView(session));
  });

  page.use(async (request, response, next) => {
    const [session] = await sessionsOf(request);
    if (!session) {
      throw new AppError(401, 'operator_signed_out', 'Sign in with a key of PAY_OPERATOR_KEY.');
    }
    response.locals['session'] = session;
    next();
  });
  for (const part of routes) page.use(part);
  router.use('/page', page);
  return router;
}

/** Who asks: only within the routes of the page. */
export function sessionOf(response: Response): PageSession {
  return response.locals['session'] as PageSession;
}

const signInBody = z.strictObject({ key: z.string().min(1).max(1000) });

const IMMUTABLE = 'public, max-age=31536000, immutable';

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

/**
 * Lets in only what the page itself asks for. A browser says where a request comes from, and a page
 * cannot change that; on plain HTTP beyond loopback it says less, so the header that only a page of this
 * origin can send is wanted each time.
 */
const requireOwnPage: RequestHandler = (request, _response, next) => {
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  const isForeign = site === undefined ? !isOwnOrigin(request) : site !== 'same-origin';
  const isChange = method !== 'GET' && method !== 'HEAD';
  if (
    isForeign ||
    headers[PAGE_HEADER] === undefined ||
    (isChange && !isOwnOrigin(request)) ||
    (isChange && method !== 'DELETE' && request.is('application/json') === false)
  ) {
    throw new AppError(
      403,
      'operator_page_refused',
      'Only the operator’s page itself may ask this.',
    );
  }
  next();
};

/** A browser names the origin of the page with every request that changes something. */
function isOwnOrigin({ headers, method }: Request): boolean {
  const { origin, host = '' } = headers;
  if (origin === undefined) return method === 'GET' || method === 'HEAD';
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** The listener speaks plain HTTP; whether a proxy before it speaks TLS, the browser says. */
function isSecure({ headers }: Request): boolean {
  return headers.origin?.startsWith('https://') === true;
}
