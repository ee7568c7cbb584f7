import type { PageRecord } from './page-record.js';
import { effectiveSources, parsePolicy } from './policy-text.js';
import type { InventoryScript } from './script-inventory.js';

/** Sources that let nearly anybody's script run. */
const OPEN_SOURCES = ['*', 'https:', 'http:', 'data:', 'blob:'];

/** Thrown when a payment page is not as it should be. */
export class PageChangedError extends Error {
  override readonly name = 'PageChangedError';

  constructor(
    readonly url: string,
    readonly findings: readonly string[],
  ) {
    super(`${url} is not as it should be:\n${findings.map((text) => `  - ${text}`).join('\n')}`);
  }
}

/** What is wrong with a page by the inventory alone: unknown or changed scripts, a weak policy. */
export function compareWithInventory(
  page: PageRecord,
  inventory: readonly InventoryScript[],
): string[] {
  const known = new Map<string, string | undefined>();
  for (const { url, pinnedUrl, integrity } of inventory) {
    known.set(url, integrity);
    if (pinnedUrl !== undefined) known.set(pinnedUrl, integrity);
  }
  const scripts = Object.entries(page.scripts).flatMap(([url, hash]) => {
    if (!known.has(url)) return [`script that is not in the inventory: ${url} (${hash})`];
    const integrity = known.get(url);
    // An inventory may name another hash function; such a script is compared by its record.
    return integrity?.startsWith('sha384-') === true && integrity !== hash
      ? [`script whose text is not the one of the inventory: ${url} (${hash})`]
      : [];
  });
  const others = page.others
    .filter((text) => !/^(iframe|meta) /.test(text))
    .map((text) => `not in the inventory: ${text}`);
  return [...scripts, ...others, ...findWeaknesses(page)];
}

/** What differs between two looks at a page. */
export function compareRecords(before: PageRecord, now: PageRecord): string[] {
  return [
    ...compareTexts('header', before.headers, now.headers),
    ...compareTexts('script', before.scripts, now.scripts),
    ...now.others.filter((text) => !before.others.includes(text)).map((text) => `added: ${text}`),
    ...before.others.filter((text) => !now.others.includes(text)).map((text) => `removed: ${text}`),
  ];
}

function compareTexts(
  what: string,
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    if (before[name] === now[name]) return [];
    if (before[name] === undefined) return [`${what} added: ${name} ${now[name] ?? ''}`];
    if (now[name] === undefined) return [`${what} removed: ${name}`];
    return [`${what} changed: ${name} from ${before[name]} to ${now[name]}`];
  });
}

/** Why a page's policy would not stop a script that somebody slipped in. */
function findWeaknesses({ headers }: PageRecord): string[] {
  const text = headers['content-security-policy'];
  if (text === undefined) return ['no content-security-policy header'];
  const sources = effectiveSources(parsePolicy(text), 'script-src');
  if (sources === undefined) return ['content-security-policy allows scripts of any origin'];
  const isStrict = sources.includes("'strict-dynamic'");
  const isInlineShut = sources.some((source) => /^'(nonce|sha\d+)-/.test(source));
  return sources
    .filter(
      (source) =>
        source === "'unsafe-eval'" ||
        (source === "'unsafe-inline'" && !isInlineShut) ||
        (OPEN_SOURCES.includes(source) && !isStrict),
    )
    .map((source) => `content-security-policy allows scripts from ${source}`);
}
