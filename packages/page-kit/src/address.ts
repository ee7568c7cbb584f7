/** Addresses within a page, such as `#/orders/teashop/A1?x=1`. */

/** What the address says: parts of its path, and its query. */
export type Params = Readonly<Record<string, string | undefined>>;

/** The query of an address or of a call; what is empty is left out. */
export function queryOf(params: Params): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(given).toString();
  return query && `?${query}`;
}

/** The address of a page, to link to. */
export function linkTo(path: string, query: Params = {}): string {
  return `#/${path}${queryOf(query)}`;
}

/**
 * Finds the page of an address; without a path it is the first one.
 *
 * @param pages each with a path such as `orders/:merchant/:order`
 */
export function findPage<Page extends { readonly path: string }>(
  hash: string,
  pages: readonly Page[],
): { readonly page: Page; readonly params: Params } | undefined {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const params = Object.fromEntries(new URLSearchParams(query));
  const [first] = pages;
  if (path === '' && first) return { page: first, params };
  const parts = path.split('/');
  for (const page of pages) {
    const names = page.path.split('/');
    const isMatch =
      names.length === parts.length &&
      names.every((name, at) => name.startsWith(':') || name === parts[at]);
    if (!isMatch) continue;
    names.forEach((name, at) => {
      if (name.startsWith(':')) params[name.slice(1)] = decode(parts[at] ?? '');
    });
    return { page, params };
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
