import fc from 'fast-check';
import { SHOP_ORIGIN } from '../drill-shop.ts';
import type { Field } from './hostile-request.ts';
import type { Route } from './routes.ts';
import { hostileText, mostly } from './values.ts';

const fieldOf = (
  names: readonly string[],
  ...values: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<Field> => fc.tuple(fc.constantFrom(...names), fc.oneof(...values));

/** Headers of which each has values that are wrong in its own way. */
const hostileField = fc.oneof(
  fieldOf(
    ['Content-Type'],
    fc.constantFrom(
      ...['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'],
      ...['application/json; charset=utf-7', 'application/json; charset=utf-16'],
      ...['application/json;charset="', 'application/json\t;a=b', '', 'x', '__proto__/__proto__'],
    ),
  ),
  fieldOf(
    ['Content-Encoding'],
    fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip', 'x', '__proto__'),
  ),
  fieldOf(
    ['Accept-Language'],
    fc.constantFrom('*', 'de;q=1e9', 'a'.repeat(5000), ';;;', 'ar, '.repeat(500)),
  ),
  fieldOf(
    ['X-Forwarded-For', 'Forwarded', 'X-Forwarded-Proto', 'X-Forwarded-Host'],
    hostileText,
    fc.constantFrom('::', '1.2.3.4:99999', '[::1', ','.repeat(500)),
  ),
  fieldOf(
    ['Origin'],
    hostileText,
    fc.constantFrom('null', 'https://evil.example', SHOP_ORIGIN.toUpperCase()),
  ),
  fieldOf(
    ['Authorization'],
    hostileText,
    fc.constantFrom('Bearer', 'Bearer «merchantKey» ', 'Basic YTpi', 'bearer «merchantKey»'),
  ),
  fieldOf(
    [
      ...['Host', 'Expect', 'Upgrade', 'TE', 'Range', 'If-None-Match', 'If-Modified-Since'],
      ...['Accept', 'Accept-Encoding', 'Cookie', 'Traceparent', 'Max-Forwards', 'Via'],
      ...['X-HTTP-Method-Override', 'Sec-Purpose', 'Sec-Fetch-Mode', 'User-Agent'],
    ],
    hostileText,
    fc.constantFrom(
      ...['100-continue', 'websocket', 'h2c', 'prefetch', 'navigate', 'bytes=0-0,1-1', 'DELETE'],
    ),
  ),
  fieldOf(
    ['__proto__', 'constructor', 'x'.repeat(300), '!#$%&', 'X-Long'],
    hostileText,
    fc.nat(9000).map((length) => 'v'.repeat(length)),
  ),
);

/** What lets a caller of this route in. */
function callerOf({ listener, path }: Route): Field[] {
  if (path.startsWith('/v1/merchant/')) return [['Authorization', 'Bearer «merchantKey»']];
  if (listener === 'public') return [['Origin', SHOP_ORIGIN]];
  if (listener === 'operator' && !path.startsWith('/page/'))
    return [['Authorization', 'Bearer «operatorKey»']];
  return [
    ['Origin', 'http://127.0.0.1'],
    ['X-Pay-Page', '1'],
    ['Cookie', '«pageCookie»'],
  ];
}

/** Headers, right or wrong. */
export function fieldsOf(route: Route): fc.Arbitrary<readonly Field[]> {
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
