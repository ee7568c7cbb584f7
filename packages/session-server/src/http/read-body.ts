import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.js';

/**
 * The body of a request, byte by byte as it came: of any type, shape and encoding. What comes beyond
 * the limit is not kept.
 *
 * @throws {AppError} 413 `body_too_large`; 400 `invalid_request` when its sender hangs up before the end
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData);
      reject(tooLarge());
    };
    request.on('data', onData);
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    request.once('error', (cause) => {
      const words = 'The body was cut off. Send all of it.';
      reject(new AppError(400, 'invalid_request', words, { cause }));
    });
  });
}

function tooLarge(): AppError {
  return new AppError(413, 'body_too_large', 'The body is too large.');
}
