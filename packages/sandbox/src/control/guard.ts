/** Who may use the control routes, which need no key: programs, and the sandbox's own page. */
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/errors.js';

/**
 * Refuses host names that a web page may have made lead here (DNS rebinding): allowed are addresses,
 * names of this machine, and that of the public address.
 */
export function requireOwnHost(publicUrl: string | undefined): RequestHandler {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return ({ hostname }, _response, next) => {
    const isOwn =
      isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
      /^(.+\.)?localhost$/.test(hostname) ||
      hostname === publicName;
    if (!isOwn) throw new ApiError(421, 'This name is not that of the sandbox. Use its address.');
    next();
  };
}

/**
 * Refuses what a browser asks for on behalf of another page. `Sec-Fetch-Site` is not sent over plain HTTP
 * beyond this machine; `Origin` is, with every request that changes something. Another port of
 * `localhost` is the same site, but another page.
 */
export const requireOwnPage: RequestHandler = (request, _response, next) => {
  const { origin, host = '', 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isOpened = request.method === 'GET' && mode === 'navigate';
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  const isOtherOrigin = origin !== undefined && !isSame(origin, host);
  if ((isForeign && !isOpened) || isOtherOrigin) {
    throw new ApiError(403, 'Other sites may not control the sandbox.');
  }
  next();
};

/** Whether a proxy in front of the sandbox speaks TLS is not known here. */
function isSame(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
