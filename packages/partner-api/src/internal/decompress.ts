import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

import { TransportError, type TransportHead } from './transport.js';

type Decompress = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECOMPRESSORS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: (body, options) =>
    // "deflate" means zlib (RFC 9110 8.4.1.2), yet some servers send the raw stream.
    ((body[0] ?? 0) & 0x0f) === 8
      ? promisify(inflate)(body, options)
      : promisify(inflateRaw)(body, options),
};

/** Undoes `Content-Encoding`, the last one applied first. */
export async function decompress(
  head: TransportHead,
  body: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const encodings = (head.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (body.length === 0) return body;
  let plain = body;
  for (const name of encodings.reverse()) {
    const run = DECOMPRESSORS[name];
    if (run === undefined) throw new TransportError('encoding', { sent: true, head });
    try {
      plain = await run(plain, { maxOutputLength: maxBytes });
    } catch (cause) {
      throw new TransportError(problemOf(cause), { sent: true, head, cause });
    }
  }
  return plain;
}

function problemOf(error: unknown): 'too_large' | 'cut_off' | 'encoding' {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'too_large';
  // zlib and brotli say this when the stream ends before its end mark.
  return code === 'Z_BUF_ERROR' ? 'cut_off' : 'encoding';
}
