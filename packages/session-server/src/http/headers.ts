import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { type PageSources, REPORT_GROUP } from '../security/csp.js';

const REQUEST_ID = 'x-request-id';

/** RFC 9112, section 3.2: Node refuses a request without a Host, and takes the first of several. */
export function requireOneHost(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  if ((request.headersDistinct['host']?.length ?? 0) <= 1) next();
  else response.writeHead(400, { connection: 'close' }).end();
}

/** Headers of which a browser sends a few dozen characters, and a negotiator compares each item with each. */
const NEGOTIATED = ['accept', 'accept-encoding', 'accept-language'] as const;
const MAX_NEGOTIATED_LENGTH = 400;

/** Leaves out what is beyond a few hundred characters: 15 kB of languages took 26 ms to compare. */
export function shortenNegotiation(
  { headers }: Pick<IncomingMessage, 'headers'>,
  _response: unknown,
  next: () => void,
): void {
  for (const name of NEGOTIATED) {
    const value = headers[name];
    if (value === undefined || value.length <= MAX_NEGOTIATED_LENGTH) continue;
    // Whole items only: half a language tag is another one.
    headers[name] = value.slice(0, Math.max(0, value.lastIndexOf(',', MAX_NEGOTIATED_LENGTH)));
  }
  next();
}

/** Gives each request an id that is in its answer, in its errors and in the log. */
export const requestId: RequestHandler = (_request, response, next) => {
  response.setHeader(REQUEST_ID, randomUUID());
  response.locals['startedAt'] = performance.now();
  next();
};

/** What names a request in the log, and how long it has taken so far. */
export function requestFields(response: Response): { requestId: string; ms: number } {
  const { startedAt } = response.locals;
  return {
    requestId: requestIdOf(response),
    ms: Math.round(performance.now() - Number(startedAt)),
  };
}

export function requestIdOf(response: Pick<Response, 'getHeader'>): string {
  return String(response.getHeader(REQUEST_ID));
}

/** What helmet has beyond these is for documents, and says nothing about JSON. */
const helmetForData = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // Of the proxy that speaks TLS for the host name: this server does not know what else is there.
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Headers of answers that are data: nothing is rendered, framed or kept. */
export const dataHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  helmetForData(request, response, next);
};

/** An error is answered with data, even by a route whose answers are pages. */
export const errorHeaders: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) next(error);
  else
    dataHeaders(request, response, () => {
      next(error);
    });
};

/** What one of our pages may load and be framed by; everything else is refused. */
export interface PagePolicy {
  /** Of the client SDK on it, in addition to our own. */
  readonly sdk?: PageSources;
  /** Of the page's own style element; new for each answer. */
  readonly styleNonce?: string;
  /** Address that browsers report violations to. */
  readonly reportTo?: string | undefined;
  /** Origins that may frame the page. */
  readonly framedBy: readonly string[];
}

/**
 * Sets the headers of a page that a shopper sees. The address holds a token, so no referrer leaves
 * it. There is no `Cross-Origin-Opener-Policy`, since the page reports to its opener.
 */
export function setPageHeaders(response: Response, policy: PagePolicy): void {
  const directives = [
    ...loadingDirectives(policy),
    ["frame-ancestors 'self'", ...policy.framedBy].join(' '),
  ];
  if (policy.reportTo !== undefined) {
    directives.push(`report-to ${REPORT_GROUP}`, `report-uri ${policy.reportTo}`);
    response.setHeader('reporting-endpoints', `${REPORT_GROUP}="${policy.reportTo}"`);
  }
  response.setHeader('content-security-policy', directives.join('; '));
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-robots-tag', 'noindex');
}

/** What a page may load, and where its forms may go. */
export function loadingDirectives({
  sdk,
  styleNonce,
}: Pick<PagePolicy, 'sdk' | 'styleNonce'>): string[] {
  const {
    script = [],
    style = [],
    font = [],
    image = [],
    frame = [],
    connect = [],
    form = [],
  } = sdk ?? {};
  // Browsers ignore 'unsafe-inline' when there is a nonce.
  const isNonceNeeded = styleNonce !== undefined && !style.includes("'unsafe-inline'");
  const nonce = isNonceNeeded ? [`'nonce-${styleNonce}'`] : [];
  return [
    ["default-src 'none'"],
    ["script-src 'self'", ...script],
    ["style-src 'self'", ...nonce, ...style],
    ...(font.length === 0 ? [] : [['font-src', ...font]]),
    ["img-src 'self' data:", ...image],
    ["frame-src 'self'", ...frame],
    ["connect-src 'self'", ...connect],
    ["base-uri 'none'"],
    // Ours too: browsers also check where a post is redirected to, and it ends at the return page.
    form.length === 0 ? ["form-action 'none'"] : ["form-action 'self'", ...form],
  ].map((parts) => parts.join(' '));
}
