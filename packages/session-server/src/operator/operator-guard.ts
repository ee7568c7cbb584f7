import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Secret } from '@pay-checkout/partner-api';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../errors.js';

/** Who may ask the operator's listener, beyond who can reach it. */
export interface OperatorAccess {
  /** Wanted as `Authorization: Bearer` with every request; undefined: nothing is wanted. */
  readonly key: Secret | undefined;
  /** Host names that it may be called by, apart from addresses and `localhost`. */
  readonly names: readonly string[];
}

/**
 * Lets programs of the operator in, and no web page: one that is open on the same machine could
 * otherwise reach a listener on loopback, by a form, by a script or under a name of its own that
 * it lets lead here (DNS rebinding).
 */
export function guardOperator({ key, names }: OperatorAccess): RequestHandler {
  return (request, _response, next) => {
    if (!isOurs(request.headers.host ?? '', names)) {
      throw new AppError(
        421,
        'operator_host_refused',
        'This name does not belong to this listener. Use its address, or add it to PAY_OPERATOR_NAMES.',
      );
    }
    if (comesFromPage(request)) {
      throw new AppError(403, 'operator_page_refused', 'Web pages may not ask this listener.');
    }
    const given = request.headers.authorization ?? '';
    if (key !== undefined && !isSame(given, `Bearer ${key.reveal()}`)) {
      throw new AppError(401, 'operator_key_refused', 'Send PAY_OPERATOR_KEY as a Bearer key.');
    }
    next();
  };
}

/** @throws {AppError} 415 unless the body is JSON: a form of a page cannot send that */
export const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  next();
};

/** An address as numbers cannot be made to lead somewhere else; a name can. */
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

function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
