/** Headers of every answer; the Content Security Policy allows only what paying needs. */
import type { RequestHandler } from 'express';
import type { SdkOrigins } from './config.js';

/** The playground shows a tag in a frame of ours, and comes back to itself in that frame. */
const FRAMES_ITSELF = /^\/playground(-frame)?\/?$/;

/** Sets the security headers. Nothing inline is allowed: no script, no style. */
export function setSecurityHeaders(payPublicUrl: string, sdk: SdkOrigins): RequestHandler {
  const pay = new URL(payPublicUrl).origin;
  const makePolicy = (itself: readonly string[]): string =>
    [
      `default-src 'none'`,
      `script-src 'self' ${[pay, ...sdk.script].join(' ')}`,
      `style-src 'self'`,
      `font-src 'self'`,
      `img-src 'self'`,
      // The element asks for the script's address when loading it failed, to say why it did.
      `connect-src 'self' ${[...new Set([pay, ...sdk.connect, ...sdk.script])].join(' ')}`,
      `frame-src ${[...itself, pay, ...sdk.frame].join(' ')}`,
      `form-action 'self'`,
      `base-uri 'none'`,
      `frame-ancestors ${itself.join(' ') || "'none'"}`,
    ].join('; ');
  const usual = makePolicy([]);
  const framed = makePolicy([`'self'`]);
  return (request, response, next) => {
    response.set({
      'Content-Security-Policy': FRAMES_ITSELF.test(request.path) ? framed : usual,
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  };
}
