import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import helmet from 'helmet';
import { AppError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';

/**
 * Headers for answers that are data: nothing is rendered, framed or kept. What helmet has beyond
 * these is for documents, and says nothing about JSON.
 */
const DATA_HEADERS = [
  ...headersOf(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  ),
  ['cache-control', 'no-store'],
] as const;

/** The same for `writeHead`: name, value, name, value. */
export const RAW_DATA_HEADERS: readonly string[] = DATA_HEADERS.flat();

/** Sets the headers of data; they are the same for every answer, so helmet was asked once. */
export const dataHeaders: RequestHandler = (_request, response, next) => {
  setDataHeaders(response);
  next();
};

/** An error is answered with data, also by a route whose answers are pages. */
export const errorHeaders: ErrorRequestHandler = (error, _request, response, next) => {
  if (!response.headersSent) setDataHeaders(response);
  next(error);
};

export function setDataHeaders(response: ServerResponse): void {
  for (const [name, value] of DATA_HEADERS) response.setHeader(name, value);
}

/**
 * Cross-origin access for the pages of merchants, and of our hosted page: exact origins, never
 * with credentials. A preflight does not say which merchant is meant, so every merchant's origins
 * are good for it; the route itself then asks for the one merchant.
 */
export function allowPages(merchants: MerchantSource, publicUrl: string): RequestHandler {
  const headersFor = pageHeaders(merchants, publicUrl);
  return async (request, response, next) => {
    const headers = await headersFor(request.headers.origin);
    for (const [name, value] of headers) response.setHeader(name, value);
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    if (headers !== FOR_STRANGERS) {
      response.setHeader('access-control-allow-methods', 'GET, POST');
      response.setHeader('access-control-allow-headers', 'content-type');
      response.setHeader('access-control-max-age', '7200');
    }
    response.status(204).end();
  };
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

const FOR_STRANGERS: HeaderList = [['vary', 'Origin']];

/** The headers with which a page may read an answer, by its origin; see {@link allowPages}. */
export function pageHeaders(
  merchants: MerchantSource,
  publicUrl: string,
): (origin: string | undefined) => Promise<HeaderList> {
  let known: readonly Merchant[] | undefined;
  let headers: ReadonlyMap<string, HeaderList> = new Map();
  return async (origin) => {
    const all = await merchants.all();
    // The merchants are gone through when they change.
    if (all !== known) {
      known = all;
      const origins = [publicUrl, ...all.flatMap((merchant) => merchant.origins)];
      headers = new Map(origins.map((its) => [its, headersForPage(its)]));
    }
    return (origin !== undefined && headers.get(origin)) || FOR_STRANGERS;
  };
}

function headersForPage(origin: string): HeaderList {
  return [
    ...FOR_STRANGERS,
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', 'retry-after, x-request-id'],
  ];
}

/** @throws {AppError} 403 `origin_not_allowed` when a page of somebody else asks */
export function refuseOtherOrigins(
  origin: string | undefined,
  merchant: Merchant,
  publicUrl: string,
): void {
  if (origin !== undefined && (merchant.origins.includes(origin) || origin === publicUrl)) return;
  throw new AppError(
    403,
    'origin_not_allowed',
    'This page may not open checkouts of this merchant. Add its origin to the merchant entry.',
  );
}

/** What a middleware that only sets headers sets. */
function headersOf(
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): [name: string, value: string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}
