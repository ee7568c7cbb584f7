import type { Response } from 'express';

/** What one page of ours may load and be framed by; everything else is refused. */
export interface PagePolicy {
  readonly scripts?: readonly string[];
  readonly frames?: readonly string[];
  readonly connects?: readonly string[];
  /** Origins that may frame the page. */
  readonly framedBy: readonly string[];
}

/**
 * Headers of a page that a shopper sees. The address holds a token, so no referrer leaves it; no
 * `Cross-Origin-Opener-Policy`, since a page that opened us wants to hear from us.
 */
export function setPageHeaders(response: Response, policy: PagePolicy): void {
  const directives = [
    "default-src 'none'",
    `script-src 'self' ${(policy.scripts ?? []).join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `frame-src 'self' ${(policy.frames ?? []).join(' ')}`,
    `connect-src 'self' ${(policy.connects ?? []).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors 'self' ${policy.framedBy.join(' ')}`,
  ];
  response.setHeader('content-security-policy', directives.map((text) => text.trim()).join('; '));
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-robots-tag', 'noindex');
}
