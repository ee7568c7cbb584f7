/** Answers only the console's own pages, whatever name or site leads here. */
import type { Request, RequestHandler } from 'express';
import { refuseRequest } from './console-error.js';

/** Refuses names that are not ours: somebody else's may be made to point to this machine. */
export function requireOwnHost(publicUrl: string): RequestHandler {
  const publicHost = new URL(publicUrl).host;
  return (request, _response, next) => {
    const { host } = request.headers;
    if (host !== publicHost && host !== `127.0.0.1:${String(request.socket.localPort)}`) {
      const advice = `Use ${publicUrl}.`;
      throw refuseRequest(421, 'wrong_host', 'This is not the address of the console.', advice);
    }
    next();
  };
}

/** Refuses calls that another site's page makes. One without these headers comes from no page. */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  if (isForeign(request)) {
    const advice = 'Open the console itself and do it there.';
    throw refuseRequest(403, 'cross_site', 'Another site may not use the console.', advice);
  }
  next();
};

function isForeign(request: Request): boolean {
  const { origin, host = '' } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return true;
  }
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  // `none` is a person who typed the address; nobody can type a POST.
  return site !== 'same-origin' && !(site === 'none' && request.method === 'GET');
}
