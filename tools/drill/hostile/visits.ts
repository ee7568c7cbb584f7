import fc from 'fast-check';
import { freeBody, jsonBody, packing } from './bodies.ts';
import { fieldsOf } from './header-fields.ts';
import { HostileRequest } from './hostile-request.ts';
import { pathOf, queryOf } from './request-targets.ts';
import type { Route } from './routes.ts';
import { mostly } from './values.ts';

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
