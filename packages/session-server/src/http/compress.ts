import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Below this, the headers weigh more than what is saved. */
const MIN_BYTES = 1024;

/**
 * Compresses answers of text from 1 kB on. Only for routes whose answers hold no session, token or key:
 * what an attacker adds to a compressed answer shows by its length what else is in it (BREACH).
 */
export const compress: RequestHandler = compression({ threshold: MIN_BYTES });

/** A body in the encodings that browsers take, best first. */
export interface Encodings {
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Compresses once, as small as it gets, what is sent again and again. */
export async function precompress(body: Buffer): Promise<Encodings> {
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(body), promisify(gzip)(body)]);
  return { br, gzip: zipped };
}
