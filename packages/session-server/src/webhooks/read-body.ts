import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.js';

/**
 * The body of a request, byte by byte as it came: of any type, shape and encoding.
 *
 * @throws {AppError} 413 `body_too_large`
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError(413, 'body_too_large', 'The body is too large.');
}
