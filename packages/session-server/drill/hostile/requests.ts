import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SHOP_ORIGIN } from '../shopper.ts';
import type { Route, Schema } from './routes.ts';

/** What the server has given out, or knows: it replaces `«name»` in a request that is sent. */
export type Known = Readonly<Record<string, string | undefined>>;

/** Some of the requests on one connection, for one order. */
export interface Visit {
  readonly requests: readonly HostileRequest[];
  /** How they are sent, or what is done to their bytes. */
  readonly delivery: 'one by one' | 'pipelined' | 'in pieces' | readonly Damage[];
  /** Which of the prepared checkouts it is about. */
  readonly number: number;
}

export interface Damage {
  /** Where, as a share of the bytes. */
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

type Field = readonly [name: string, value: string];

/** Values that a field of this name would have in a request that is right. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  id: ['«checkout»'],
  token: ['«returnToken»', '«cancelToken»', '«webhookToken»', '«endpointToken»'],
  merchant: ['«merchant»'],
  order: ['«order»'],
  orderToken: ['«orderToken»'],
  sessionId: ['«sessionId»'],
  renew: ['«sessionId»'],
  kind: ['shown', 'submitted', 'declined', 'cancelled', 'return', 'cancel', 'back'],
  wait: ['0', '0.01', '0.05'],
  locale: ['en', 'de', 'pt-br', 'ar'],
  state: ['open', 'paid', 'cancelled', 'void'],
  updatedAfter: ['2026-03-01T10:15:00Z'],
  updatedBefore: ['2036-03-01T10:15:00+02:00'],
  limit: ['1', '50', '200'],
  days: ['1', '30'],
  amount: ['9.99', '10.00', '0.01'],
  currency: ['GBP'],
  returnUrl: [`${SHOP_ORIGIN}/thanks?c={checkout}`],
  houseNumber: ['7', '12a'],
  postcode: ['ZZ1 1ZZ'],
  email: ['shopper@example.test'],
  percent: ['2.5'],
  fixed: ['0.10'],
};

/** Where a path names what is there. */
const RIGHT_IN_PATH: typeof RIGHT = { order: ['«order»', '«knownOrder»'] };

/** Texts that break what takes them for something else. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202e',
  '\u2028',
  '💥',
  'ﷺ'.repeat(50),
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '..',
  '../../etc/passwd',
  '/',
  '//',
  '\\',
  '.',
  '%',
  '%00',
  '%zz',
  '%c0%ae',
  '%ED%A0%80',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '-1',
  '0x1',
  '1e1000',
  '1e-400',
  '9007199254740993',
  '99999999999999999999999',
  "' OR '1'='1",
  "'; DROP TABLE checkouts; --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '"><img src=x>',
  '\r\nX-Injected: 1\r\n\r\n',
  '$&$1',
  'A'.repeat(65),
  'A'.repeat(201),
  'A'.repeat(5000),
  'W1tdLCIiXQ',
  Buffer.from('[1,"\\u0000"]').toString('base64url'),
  Buffer.from('[9007199254740991,"A"]').toString('base64url'),
  Buffer.from('["\\u0000",1]').toString('base64url'),
];

const hostileText = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('\0', 'a\0', '\ud800', '__proto__', '1e1000') },
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 70 }) },
);

/** Mostly right: a request with one mistake gets further than one with ten. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: wrong });

/** JSON that a parser, a schema or a loop may not expect, as text. */
const hostileJson = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '0', '-0', '1e400', '-1e400', '1e-400', '1E+2', '[]', '{}', '""', '.5'],
    ...['NaN', '01', '"\\ud800"', '"\\u0000"', '"\\x"', '99999999999999999999999999', '[1,]'],
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":1,"a":2}',
    '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1}',
    '[{"partnerMerchantId":501,"typeId":1,"fixed":"1e3"}]',
    '[{"partnerMerchantId":-1,"typeId":1e99,"percent":"100.01","min":"-0"}]',
  ),
  hostileText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 3 }),
  fc.double().map(String),
  fc.nat(2500).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.nat(2500).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.nat(20_000).map((length) => `[${'0,'.repeat(length)}0]`),
);

function rightValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const known = RIGHT[name];
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (known) return fc.constantFrom<unknown>(...known);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => rightValue(choice, name)));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      return fc.record(
        Object.fromEntries(fields.map(([key, value]) => [key, rightValue(value, key)])),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    }
    case 'array':
      return fc.array(rightValue(schema.items ?? {}), { maxLength: 3 });
    case 'integer':
    case 'number':
      return fc.constantFrom(1, 60, 501, 3600);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return mostly<unknown>(fc.constantFrom('7', 'Flat 2', 'Some text'), hostileText);
  }
}

/** The body that a route takes, as JSON whose fields may be wrong, missing or too many. */
function jsonBody(schema: Schema): fc.Arbitrary<string> {
  const object = fc
    .record({
      right: rightValue(schema),
      wrong: fc.array(
        fc.record({ at: fc.nat(12), name: fc.option(hostileText), value: hostileJson }),
        { maxLength: 2 },
      ),
      isRight: mostly(fc.constant(true), fc.constant(false)),
    })
    .map(({ right, wrong, isRight }) => {
      const fields = Object.entries(right as object).map(([name, value]): Field => [
        name,
        JSON.stringify(value),
      ]);
      for (const { at, name, value } of isRight ? [] : wrong) {
        const replaced = fields[at]?.[0];
        fields.splice(at, 1, [name ?? replaced ?? 'extra', value]);
      }
      return `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
    });
  return fc.oneof(
    { weight: 12, arbitrary: object },
    { weight: 1, arbitrary: hostileJson },
    {
      weight: 1,
      arbitrary: fc
        .record({ text: object, at: fc.nat(60), add: hostileText })
        .map(({ text, at, add }) => text.slice(0, at) + add + text.slice(at + 1)),
    },
    { weight: 1, arbitrary: fc.tuple(object, fc.nat(60)).map(([text, at]) => text.slice(0, at)) },
  );
}

const freeBody = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: hostileJson },
  {
    weight: 3,
    arbitrary: fc
      .dictionary(fc.constantFrom('order_id', 'reference', 'event', 'status'), hostileText)
      .map((fields) => JSON.stringify(fields)),
  },
  { weight: 1, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"all":true}', '{"event":"test"}', 'reference=A1&reference=B2'),
  },
);

type Coding = 'gzip' | 'br' | 'deflate';
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
const coding = fc.constantFrom<Coding>('gzip', 'br', 'deflate');

/** How the body is written, beside its text. */
type Packing =
  | { readonly kind: 'plain' }
  | { readonly kind: 'encoded'; readonly by: BufferEncoding }
  | { readonly kind: 'packed' | 'bomb' | 'cut'; readonly by: Coding }
  | { readonly kind: 'long'; readonly kilobytes: number };

const packing = mostly<Packing>(
  fc.constant({ kind: 'plain' }),
  fc.oneof(
    fc.record({ kind: fc.constant('encoded' as const), by: fc.constantFrom('utf16le', 'latin1') }),
    fc.record({
      kind: fc.constantFrom('packed' as const, 'bomb' as const, 'cut' as const),
      by: coding,
    }),
    fc.record({ kind: fc.constant('long' as const), kilobytes: fc.constantFrom(17, 65, 257) }),
  ),
);

const hostileField = fc
  .oneof(
    fc.tuple(
      fc.constantFrom('Content-Type'),
      fc.constantFrom(
        ...['text/plain', 'application/json; charset=utf-7'],
        ...[
          'application/json; charset=utf-16',
          'application/json;charset="',
          'multipart/form-data',
        ],
        ...[
          'application/x-www-form-urlencoded',
          '',
          'x',
          'application/json\t;a=b',
          '__proto__/__proto__',
        ],
      ),
    ),
    fc.tuple(
      fc.constant('Content-Encoding'),
      fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip', 'x', '__proto__'),
    ),
    fc.tuple(
      fc.constant('Accept-Language'),
      fc.constantFrom('*', 'de;q=1e9', 'a'.repeat(5000), ';;;', 'ar, '.repeat(500)),
    ),
    fc.tuple(
      fc.constantFrom('X-Forwarded-For', 'Forwarded', 'X-Forwarded-Proto', 'X-Forwarded-Host'),
      fc.oneof(hostileText, fc.constantFrom('::', '1.2.3.4:99999', '[::1', ','.repeat(500))),
    ),
    fc.tuple(
      fc.constant('Origin'),
      fc.oneof(
        hostileText,
        fc.constantFrom('null', 'https://evil.example', SHOP_ORIGIN.toUpperCase()),
      ),
    ),
    fc.tuple(
      fc.constant('Authorization'),
      fc.oneof(
        hostileText,
        fc.constantFrom('Bearer', 'Bearer «merchantKey» ', 'Basic YTpi', 'bearer «merchantKey»'),
      ),
    ),
    fc.tuple(
      fc.constantFrom(
        'Expect',
        'Upgrade',
        'TE',
        'Range',
        'If-None-Match',
        'If-Modified-Since',
        'Cookie',
        'Accept',
        'Accept-Encoding',
        'X-HTTP-Method-Override',
        'Traceparent',
        'Max-Forwards',
        'Via',
        'Sec-Purpose',
        'Sec-Fetch-Mode',
        'Host',
        'User-Agent',
      ),
      fc.oneof(
        hostileText,
        fc.constantFrom(
          '100-continue',
          'websocket',
          'h2c',
          'prefetch',
          'navigate',
          'bytes=0-0,1-1',
          'DELETE',
        ),
      ),
    ),
    fc.tuple(
      fc.constantFrom('__proto__', 'constructor', 'x'.repeat(300), '!#$%&', 'X-Long'),
      fc.oneof(
        hostileText,
        fc.nat(9000).map((length) => 'v'.repeat(length)),
      ),
    ),
  )
  .map(([name, value]): Field => [name, value]);

/** What lets a caller of this route in. */
function callerOf({ listener, path }: Route): Field[] {
  if (path.startsWith('/v1/merchant/')) return [['Authorization', 'Bearer «merchantKey»']];
  if (listener === 'public') return [['Origin', SHOP_ORIGIN]];
  if (!path.startsWith('/page/')) return [['Authorization', 'Bearer «operatorKey»']];
  return [
    ['Origin', 'http://127.0.0.1'],
    ['X-Pay-Operator', '1'],
    ['Cookie', '«operatorCookie»'],
  ];
}

/** Headers, right or wrong. */
function fieldsOf(route: Route): fc.Arbitrary<readonly Field[]> {
  const right: Field[] = [['Host', '127.0.0.1'], ...callerOf(route)];
  if (route.method !== 'GET') right.push(['Content-Type', 'application/json']);
  return mostly<readonly Field[]>(
    fc.constant(right),
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.array(hostileField, { maxLength: 3 }).map((more) => [...right, ...more]),
      },
      {
        weight: 2,
        arbitrary: fc
          .array(hostileField, { maxLength: 3 })
          .map((more) => [right[0] ?? ['Host', ''], ...more]),
      },
      { weight: 1, arbitrary: fc.subarray(right) },
      {
        weight: 1,
        arbitrary: fc
          .nat(1200)
          .map((count) => [
            ...right,
            ...Array.from({ length: count }, (_, at): Field => [`a${String(at)}`, '1']),
          ]),
      },
    ),
  );
}

function segmentOf(name: string): fc.Arbitrary<string> {
  return mostly<string>(
    fc.constantFrom(...(RIGHT_IN_PATH[name] ?? RIGHT[name] ?? ['x'])),
    fc.oneof(hostileText.map(encodePart), hostileText),
  );
}

function pathOf(route: Route): fc.Arbitrary<string> {
  const parts = route.path.split(/\{(\w+)\}/);
  const right = fc
    .tuple(...parts.map((part, at) => (at % 2 === 0 ? fc.constant(part) : segmentOf(part))))
    .map((texts) => texts.join(''));
  const wrong = fc
    .tuple(right, hostileText)
    .chain(([path, text]) =>
      fc.constantFrom(
        `/${path}`,
        `${path}/`,
        `${path}//`,
        `${path}/..`,
        `/.${path}`,
        `/x/..${path}`,
        path.replaceAll('/', '//'),
        path.replaceAll('/', '%2f'),
        path.toUpperCase(),
        `http://evil.example${path}`,
        `http://[${path}`,
        `${path}#${text}`,
        `${path};${text}`,
        path.replace('/', '\\'),
        path.slice(0, -1),
        `${path}${encodePart(text)}`,
        '*',
        text,
      ),
    );
  return mostly(right, wrong);
}

function queryOf(route: Route): fc.Arbitrary<string> {
  const ofField = (name: string) =>
    fc.tuple(
      mostly(fc.constant(name), fc.constantFrom(`${name}[]`, `${name}[a]`, '__proto__[a]', '')),
      mostly<string>(
        name === 'id'
          ? fc.constantFrom('«checkout»:0', '«checkout»:1', '«other»:0')
          : fc.constantFrom(...(RIGHT[name] ?? ['x'])),
        fc.oneof(hostileText.map(encodePart), hostileText),
      ),
    );
  const names = route.query.length === 0 ? ['locale', 'days', 'limit', 'merchant'] : route.query;
  const sets = names.map((name) =>
    fc.array(ofField(name), {
      minLength: name === 'id' || route.path.endsWith('-config') ? 1 : 0,
      maxLength: 2,
    }),
  );
  const right = fc.tuple(...sets).map((fields) => {
    const pairs = fields.flat().map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  });
  const wrong = fc.oneof(
    hostileText.map((text) => `?${text}`),
    fc.nat(2000).map((count) => `?${'id=1&'.repeat(count)}`),
    fc.constantFrom('?', '?&&&', '?=', '?%', '?a=%ff%fe'),
  );
  return mostly(right, wrong);
}

function encodePart(text: string): string {
  // What is no text has no encoding: here it gets the one that decoders must refuse.
  return encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'QUERY',
  'MKCOL',
];

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

function requestOf(route: Route): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      method: mostly(fc.constant(route.method), fc.constantFrom(...METHODS)),
      path: pathOf(route),
      query: queryOf(route),
      fields: fieldsOf(route),
      body: route.body ? jsonBody(route.body) : freeBody,
      packing,
      chunk: fc.constantFrom(0, 0, 0, 1, 7, 4096),
    })
    .map(
      ({ chunk, ...parts }) =>
        new HostileRequest(route, {
          ...parts,
          // A chunk of a byte each is slow, and no worse for many bytes than for a few.
          chunk: parts.packing.kind === 'plain' && parts.body.length < 500 ? chunk : chunk && 4096,
          ...(route.method === 'GET' &&
            parts.method === 'GET' && { body: '', packing: { kind: 'plain' } }),
        }),
    );
}

/** Some requests to these routes, as one client sends them after each other. */
export function visitOf(routes: readonly Route[]): fc.Arbitrary<Visit> {
  // Files are many and alike.
  const isFile = ({ path }: Route): boolean => /\.(js|css|json)$/.test(path);
  const request = fc.oneof(
    ...routes.map((route) => ({ weight: isFile(route) ? 3 : 8, arbitrary: requestOf(route) })),
  );
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(4),
    insert: fc.constantFrom(
      '',
      '\r',
      '\n',
      '\r\n',
      '\r\n\r\n',
      '\0',
      ' ',
      '\t',
      ':',
      'x',
      '\xff',
      '\r\n 0',
      '0\r\n\r\n',
    ),
  });
  return fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 8 }),
    delivery: fc.oneof(
      { weight: 6, arbitrary: fc.constant('one by one' as const) },
      { weight: 3, arbitrary: fc.constant('pipelined' as const) },
      { weight: 1, arbitrary: fc.constant('in pieces' as const) },
      { weight: 1, arbitrary: fc.array(damage, { minLength: 1, maxLength: 3 }) },
    ),
    number: fc.nat(1000),
  });
}

/** Bytes that are no request any more. */
export function spoil(bytes: Buffer, damage: readonly Damage[]): Buffer {
  return damage.reduce((spoilt, { at, remove, insert }) => {
    const from = Math.floor(at * spoilt.length);
    const rest = spoilt.subarray(from + remove);
    return Buffer.concat([spoilt.subarray(0, from), Buffer.from(insert, 'latin1'), rest]);
  }, bytes);
}
