import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import {
  type AppError,
  type Clock,
  type Config,
  type Database,
  jsonBody,
  KeyAttempts,
  parse,
} from '@pay-checkout/session-server/internals';
import { type PageSession, PageSessions, type SessionKeys } from './page-session.js';

/** Wrong keys of one address in a minute. */
const WRONG_KEYS = 10;
const MAX_BODY_BYTES = 16_384;
/** No page of another site can send it without asking first, and no one is answered who asks. */
const PAGE_HEADER = 'x-pay-page';

export interface PageOptions<Session extends PageSession> {
  /** Where its built files are. */
  readonly folder: string;
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'trustProxy'>;
  readonly keys: SessionKeys<Session>;
  /** Someone whom a proxy has let in, who needs no key. Default: no one. */
  readonly letIn?: ((request: Request, now: number) => Session | undefined) | undefined;
  /** Whether there is a page at all. */
  readonly isOffered: () => boolean;
  /** What the page shows of the person who has signed in. */
  readonly toView: (session: Session) => object;
  /** What is said of a wrong key, without a session, and to other pages. */
  readonly problems: Readonly<Record<'refused' | 'signedOut' | 'foreign', () => AppError>>;
  /** What the page reads and does, at `/page`: only for a person who has signed in. */
  readonly routes: readonly Router[];
}

/** A page for people: its files, the sign-in with a key, and what it reads. */
export function pageRoutes<Session extends PageSession>(options: PageOptions<Session>): Router {
  const { database, clock, config, keys, problems } = options;
  const attempts = new KeyAttempts(WRONG_KEYS);
  const sessions = new PageSessions(database, keys);
  const find = async (request: Request): Promise<Session | undefined> => {
    const now = clock.now();
    return options.letIn?.(request, now) ?? (await sessions.find(request, now))[0];
  };
  const toView = (session: Session | undefined) => (session ? options.toView(session) : null);
  const router = Router();
  router.use((_request, _response, next) => {
    next(options.isOffered() ? undefined : 'router');
  });
  router.use(
    express.static(options.folder, {
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
  page.set('trust proxy', config.trustProxy);
  page.use(requireOwnPage(problems.foreign));

  page.post('/session', ...jsonBody(MAX_BODY_BYTES), async (request, response) => {
    const { key: given } = parse(signInBody, request.body);
    const key = await attempts.check(request, given, () => keys.find(given));
    if (!key) throw problems.refused();
    const { name, attributes } = sessions.cookie(isSecure(request));
    const { token, session } = sessions.make(key, clock.now());
    response.setHeader('set-cookie', `${name}=${token}; ${attributes}`);
    response.json(toView(session));
  });

  page.delete('/session', async (request, response) => {
    const now = clock.now();
    await sessions.end(await sessions.find(request, now), now);
    const { name, attributes } = sessions.cookie(isSecure(request));
    response.setHeader('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
    response.status(204).end();
  });

  // Not an error: the page asks before anyone has signed in.
  page.get('/session', async (request, response) => {
    response.json(toView(await find(request)));
  });

  page.use(async (request, response, next) => {
    const session = await find(request);
    if (!session) throw problems.signedOut();
    response.locals['session'] = session;
    next();
  });
  for (const part of options.routes) page.use(part);
  router.use('/page', page);
  return router;
}

/** Who asks: only within the routes of a page. */
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
function requireOwnPage(makeError: () => AppError): RequestHandler {
  return (request, _response, next) => {
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
      throw makeError();
    }
    next();
  };
}

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
