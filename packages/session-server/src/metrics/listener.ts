import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Secret } from '@pay-checkout/partner-api';
import { type Express, type Request, type RequestHandler, Router } from 'express';
import { AppError } from '../errors.js';
import { createBackOfficeApp } from '../http/back-office-app.js';
import { KeyAttempts } from '../http/limits.js';
import { readBearerKey } from '../http/parse.js';
import type { Logger } from '../logger.js';
import type { Config } from '../config.js';
import type { Figures } from './figures.js';
import type { Operator, OperatorKey } from './operator-people.js';
import type { ServerMetrics } from './server-metrics.js';

export interface OperatorListenerOptions {
  readonly access: OperatorAccess;
  readonly metrics: ServerMetrics;
  readonly figures: Figures;
  readonly logger: Logger;
  readonly trustProxy: number | string[];
  /** Of `@pay-checkout/operator`; without it there is `/metrics` alone. */
  readonly routes: OperatorRoutes | undefined;
}

/** What `@pay-checkout/operator` adds to the listener. */
export interface OperatorRoutes {
  /** For people, who sign in; with the files of the page. */
  readonly page: Router;
  /** For programs with a key. */
  readonly programs: Router;
}

/** `/metrics`, and the operator's page and routes, for a listener of their own. It never listens itself. */
export function createOperatorListener(options: OperatorListenerOptions): Express {
  const { access, metrics, figures, logger, trustProxy, routes } = options;
  const figuresRoute = Router();
  figuresRoute.get('/metrics', async (_request, response) => {
    await figures.update();
    const text = await metrics.write();
    response.setHeader('content-type', metrics.registry.contentType);
    response.end(text);
  });
  return createBackOfficeApp(
    // Not what Prometheus reads every few seconds.
    { logger, observer: metrics, trustProxy, traced: ['/operator', '/page'] },
    requireOurHost(access),
    ...(routes ? [routes.page] : []),
    guardPrograms(access),
    figuresRoute,
    ...(routes ? [routes.programs] : []),
  );
}

/** Wrong Bearer keys of one address in a minute: a scrape with an old key is no guess. */
const WRONG_KEYS = 20;

/** Who may ask the operator's listener, beyond who can reach it. */
export interface OperatorAccess {
  /** One of them is wanted as `Authorization: Bearer` with every request; with neither them nor `people`, nothing is. */
  readonly keys: () => readonly OperatorKey[];
  /** Host names that it may be called by, apart from addresses and `localhost`. */
  readonly names: readonly string[];
  /** People whom a proxy names in a header. Default: none. */
  readonly people?: NonNullable<Config['operator']>['people'];
  /** A partner console, to link to. */
  readonly consoleUrl?: string | undefined;
}

/** A web page could otherwise reach the listener under a name of its own that it lets lead here (DNS rebinding). */
function requireOurHost({ names }: OperatorAccess): RequestHandler {
  return (request, _response, next) => {
    if (!isOurs(request.headers.host ?? '', names)) {
      throw new AppError(
        421,
        'operator_host_refused',
        'This host name is not allowed here. Use its address, or add it to PAY_OPERATOR_NAMES.',
      );
    }
    next();
  };
}

/**
 * Lets programs of the operator in, and no web page: one that is open on the same machine could
 * otherwise reach a listener on loopback, by a form or by a script. Where a proxy lets people in, a program
 * needs a key: without one, anybody whom it lets in would be a program.
 */
function guardPrograms({ keys, people }: OperatorAccess): RequestHandler {
  const attempts = new KeyAttempts(WRONG_KEYS);
  return async (request, response, next) => {
    if (comesFromPage(request)) {
      throw new AppError(403, 'operator_page_refused', 'Web pages cannot use these routes.');
    }
    const given = readBearerKey(request.headers.authorization);
    const valid = keys();
    const find = () => valid.find(({ secret }) => isSame(given ?? '', secret.reveal()));
    const key =
      given === undefined || valid.length === 0
        ? undefined
        : await attempts.check(request, given, find);
    if ((valid.length > 0 || people) && !key) {
      throw new AppError(401, 'operator_key_refused', 'Send PAY_OPERATOR_KEY as a Bearer key.');
    }
    const operator = key ? operatorOf(key) : { actor: 'without-key', role: 'admin' };
    response.locals['operator'] = operator;
    next();
  };
}

/** An address as numbers cannot be made to lead to another host; a name can. */
function isOurs(host: string, names: readonly string[]): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || name === 'localhost' || names.includes(name);
}

/** Browsers say so themselves, and scripts cannot change what they say. */
function comesFromPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}

export function operatorOf({ secret, name, role }: OperatorKey): Operator {
  return { actor: name ?? fingerprintOf(secret), role };
}

/** The first characters of a key's hash: it tells keys apart, and helps no one to guess one. */
function fingerprintOf(key: Secret): string {
  return `key-${createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8)}`;
}

/** Whether two texts are the same, in a time that says nothing of them. */
export function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
