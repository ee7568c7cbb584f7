import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.js';

/**
 * Lets a request through only with the right `api_key` header (spec 5.1). Both sides are hashed
 * first, so that the comparison takes the same time whatever was sent.
 */
export function requireApiKey(apiKey: string): RequestHandler {
  const expected = hashKey(apiKey);
  return (request, _response, next) => {
    const given = request.get('api_key');
    if (given === undefined) {
      throw new ApiError(401, 'The api_key header is missing. Send your API key in it.');
    }
    if (!timingSafeEqual(hashKey(given), expected)) {
      throw new ApiError(401, 'The api_key header does not hold a known API key.');
    }
    next();
  };
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
