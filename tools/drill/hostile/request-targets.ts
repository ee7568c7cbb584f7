import fc from 'fast-check';
import type { Route } from './routes.ts';
import { hostileText, mostly, RIGHT, RIGHT_IN_PATH } from './values.ts';

function segmentOf(name: string): fc.Arbitrary<string> {
  return mostly<string>(
    fc.constantFrom(...(RIGHT_IN_PATH[name] ?? RIGHT[name] ?? ['x'])),
    fc.oneof(hostileText.map(encodePart), hostileText),
  );
}

export function pathOf(route: Route): fc.Arbitrary<string> {
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

export function queryOf(route: Route): fc.Arbitrary<string> {
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
  const names = route.query.length > 0 ? route.query : namesOf(route);
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

/** Of a route that `/openapi.json` says nothing of. */
function namesOf({ path }: Route): readonly string[] {
  return path.includes('/report')
    ? ['day', 'merchant']
    : ['locale', 'days', 'limit', 'merchant', 'q', 'cursor'];
}

function encodePart(text: string): string {
  // What is no text has no encoding: here it gets the one that decoders must refuse.
  return encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}
