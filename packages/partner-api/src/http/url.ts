/**
 * Joins a base address and the segments of a path. The path prefix of the base is kept, with or
 * without a slash at its end; `new URL(path, base)` would lose it.
 */
export function joinUrl(base: URL, segments: readonly string[]): URL {
  const url = new URL(base);
  const prefix = base.pathname.replace(/\/+$/, '');
  url.pathname = [prefix, ...segments.map(encodeSegment)].join('/');
  return url;
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new RangeError('a path segment must not be empty, "." or ".."');
  }
  return encodeURIComponent(segment);
}

/** Reads a base address; the reason, as advice to the caller, when it cannot be one. */
export function parseBaseUrl(text: unknown): URL | string {
  if (typeof text !== 'string' || !URL.canParse(text)) {
    return 'must be an absolute address such as https://api.example.com/prefix';
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; give the key as apiKey';
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    return 'must not have a query or a fragment';
  }
  return url;
}
