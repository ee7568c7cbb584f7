import { once } from 'node:events';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** What an address answered, or why it did not. */
export type Visit = { readonly status: number | undefined } | { readonly error: string };

const TIMEOUT_MS = 10_000;

/** Opens an address as the shopper's browser would, but follows no redirect and runs no script. */
export async function visit(url: string): Promise<Visit> {
  const start = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
  const request: ClientRequest = start(url, {
    headers: { accept: 'text/html' },
    lookup: lookUpLikeBrowser,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  request.end();
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return { status: response.statusCode };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { error: name === 'AbortError' ? 'timeout' : (code ?? name) };
  }
}

/** In a browser each name below `localhost` is this machine; in Node it is not. */
const lookUpLikeBrowser: LookupFunction = (name, options, callback) => {
  lookup(name.endsWith('.localhost') ? 'localhost' : name, options, callback);
};
