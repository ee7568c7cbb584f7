/** Headers of every answer; the Content Security Policy allows only what paying needs. */
import type { RequestHandler } from 'express';
import type { SdkOrigins } from './config.js';

/** The playground shows a tag in a frame of ours, and comes back to itself in that frame. One of its SDKs draws in the page. */
const PLAYGROUND = /^\/playground(-frame)?\/?$/;

/** Sets the security headers. No inline script is allowed, and inline styles only for the SDKs of the playground. */
export function setSecurityHeaders(payPublicUrl: string, sdk: SdkOrigins): RequestHandler {
  const pay = new URL(payPublicUrl).origin;
  const makePolicy = ({ isPlayground }: { isPlayground: boolean }): string => {
    const itself = isPlayground ? [`'self'`] : [];
    const drawn = isPlayground ? ` ${sdk.script.join(' ')}` : '';
    return [
      `default-src 'none'`,
      `script-src 'self' ${[pay, ...sdk.script].join(' ')}`,
      `style-src 'self'${isPlayground ? ` 'unsafe-inline'` : ''}`,
      `font-src 'self'`,
      `img-src 'self'${drawn}`,
      // The element asks for the script's address when loading it failed, to say why it did.
      `connect-src 'self' ${[...new Set([pay, ...sdk.connect, ...sdk.script])].join(' ')}`,
      `frame-src ${[...itself, pay, ...sdk.frame].join(' ')}`,
      `form-action 'self'${drawn}`,
      `base-uri 'none'`,
      `frame-ancestors ${itself.join(' ') || "'none'"}`,
    ].join('; ');
  };
  const usual = makePolicy({ isPlayground: false });
  const playground = makePolicy({ isPlayground: true });
  return (request, response, next) => {
    response.set({
      'Content-Security-Policy': PLAYGROUND.test(request.path) ? playground : usual,
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  };
}
