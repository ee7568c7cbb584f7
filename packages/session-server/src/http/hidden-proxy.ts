import type { IncomingMessage } from 'node:http';
import type { Logger } from '../logger.js';

/** In which proxies name whom they ask for. */
const HEADERS = ['x-forwarded-for', 'forwarded'];

/**
 * Says once, for a server that was told of no proxy, that one seems to stand before it: every shopper
 * would count as one address. Anybody may write such a header, so nothing but words follows.
 */
export function watchForHiddenProxy(
  trustProxy: number | readonly string[],
  logger: Logger,
): (request: IncomingMessage) => void {
  let isWatching = trustProxy === 0;
  return ({ headers }) => {
    if (!isWatching || HEADERS.every((name) => headers[name] === undefined)) return;
    isWatching = false;
    logger.warn({}, 'a proxy stands before the server, and PAY_TRUST_PROXY is 0');
  };
}
