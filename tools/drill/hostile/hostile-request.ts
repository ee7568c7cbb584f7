import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Route } from './routes.ts';

/** What the server has given out, or knows: it replaces `«name»` in a request that is sent. */
export type Known = Readonly<Record<string, string | undefined>>;

export type Field = readonly [name: string, value: string];

export type Coding = 'gzip' | 'br' | 'deflate';
const CODERS: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
};
const ZEROS = Buffer.alloc(20 * 1024 * 1024);
/** A few kilobytes that become twenty megabytes. */
const BOMBS: Readonly<Record<Coding, Buffer>> = {
  gzip: CODERS.gzip(ZEROS),
  br: CODERS.br(ZEROS),
  deflate: CODERS.deflate(ZEROS),
};

/** How the body is written, next to its text. */
export type Packing =
  | { readonly kind: 'plain' }
  | { readonly kind: 'encoded'; readonly by: BufferEncoding }
  | { readonly kind: 'packed' | 'bomb' | 'cut'; readonly by: Coding }
  | { readonly kind: 'long'; readonly kilobytes: number };

/** A request that may be wrong in any part, framed as HTTP/1.1 is. */
export class HostileRequest {
  readonly method: string;
  readonly route: Route;
  readonly #target: string;
  readonly #fields: readonly Field[];
  readonly #body: string;
  readonly #packing: Packing;
  /** Bytes of each chunk; 0 for a body with a length. */
  readonly #chunk: number;

  constructor(
    route: Route,
    parts: {
      readonly method: string;
      readonly path: string;
      readonly query: string;
      readonly fields: readonly Field[];
      readonly body: string;
      readonly packing: Packing;
      readonly chunk: number;
    },
  ) {
    this.route = route;
    this.method = parts.method;
    this.#target = parts.path + parts.query;
    this.#fields = parts.fields;
    this.#body = parts.body;
    this.#packing = parts.packing;
    this.#chunk = parts.chunk;
  }

  /** The request with what is known in its places, framed as HTTP/1.1 is. */
  toBytes(known: Known): Buffer {
    const body = this.#pack(fill(this.#body, known));
    const isChunked = this.#chunk > 0 && body.length > 0;
    const target = fill(this.#target, known).replace(/[\0-\x20\x7f]/g, encodeURIComponent);
    const fields = this.#fields.map(
      ([name, value]) => `${name}: ${fill(value, known).replace(/[\r\n\0]/g, ' ')}`,
    );
    if (this.#packing.kind === 'packed' || this.#packing.kind === 'bomb') {
      fields.push(`Content-Encoding: ${this.#packing.by}`);
    }
    if (isChunked) fields.push('Transfer-Encoding: chunked');
    else if (body.length > 0 || this.method !== 'GET') {
      fields.push(`Content-Length: ${String(body.length)}`);
    }
    const head = [`${this.method} ${target || '/'} HTTP/1.1`, ...fields].join('\r\n');
    const framed = isChunked ? chunked(body, this.#chunk) : body;
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), framed]);
  }

  #pack(text: string): Buffer {
    const bytes = Buffer.from(text);
    const packing = this.#packing;
    switch (packing.kind) {
      case 'plain':
        return bytes;
      case 'encoded':
        return Buffer.from(text, packing.by);
      case 'packed':
        return CODERS[packing.by](bytes);
      case 'bomb':
        return BOMBS[packing.by];
      case 'cut':
        return CODERS[packing.by](bytes).subarray(0, -3);
      case 'long':
        return Buffer.concat([bytes, Buffer.alloc(packing.kilobytes * 1024, 'x')]);
    }
  }

  /** How a counterexample is printed. */
  [fc.toStringMethod](): string {
    const bytes = this.toBytes({});
    const text = JSON.stringify(bytes.toString('latin1'));
    return text.length > 600 ? `${text.slice(0, 600)}… (${String(bytes.length)} bytes)` : text;
  }
}

function fill(text: string, known: Known): string {
  return text.replace(/«(\w+)»/g, (all, name: string) => known[name] ?? all);
}

function chunked(body: Buffer, size: number): Buffer {
  const parts: (Buffer | string)[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
  }
  parts.push('0\r\n\r\n');
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}
