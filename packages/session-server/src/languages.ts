import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';

/** The name of a text of our own pages. */
export type PageText =
  | 'payTitle'
  | 'order'
  | 'toShop'
  | 'back'
  | 'noScript'
  | 'busyTitle'
  | 'busy'
  | 'invalidTitle'
  | 'invalid'
  | 'expiredTitle'
  | 'expired'
  | 'paid'
  | 'failed'
  | 'checking'
  | 'cancelled'
  | 'left'
  | 'notFoundTitle'
  | 'notFound'
  | 'unavailableTitle'
  | 'retrying'
  | 'noShop';

/** A file of `languages`, named for its tag. */
export interface Language {
  /** BCP 47 tag. */
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  /** The texts of the element; English ones are in its script. */
  readonly element?: object;
  readonly pages: Readonly<Record<PageText, string>>;
}

const FOLDER = fileURLToPath(new URL('../languages/', import.meta.url));

/** Every language. A variant (`pt-BR.json`) comes before its language (`pt.json`). */
export const LANGUAGES: readonly Language[] = readdirSync(FOLDER).toSorted().map(readLanguage);
export const ENGLISH = readLanguage('en.json');

function readLanguage(name: string): Language {
  return JSON.parse(readFileSync(FOLDER + name, 'utf8')) as Language;
}

/** The language of a BCP 47 tag: `de` for `de-AT`. */
export function closestTo(tag: string): Language | undefined {
  const wanted = `${tag}-`.toLowerCase();
  return LANGUAGES.find(({ locale }) => wanted.startsWith(`${locale.toLowerCase()}-`));
}

/**
 * The language of a page: by the query `locale`, then by `Accept-Language`, otherwise English. Adds to
 * `Vary` that the page depends on that header.
 */
export function languageFor(
  request: Pick<Request, 'query' | 'acceptsLanguages'>,
  response: Response,
): Language {
  response.vary('accept-language');
  const named = closestTo(localeOf(request) ?? '');
  if (named) return named;
  // The first of the list counts for a browser that accepts any.
  const locales = [ENGLISH, ...LANGUAGES].map(({ locale }) => locale);
  const accepted = request.acceptsLanguages(locales);
  return LANGUAGES.find(({ locale }) => locale === accepted) ?? ENGLISH;
}

/** The query `locale`, when it is a language tag. */
export function localeOf({ query }: Pick<Request, 'query'>): string | undefined {
  const { locale } = query;
  return typeof locale === 'string' && /^[a-z]{2,8}([-_][a-z0-9]{1,8})*$/i.test(locale)
    ? locale.replaceAll('_', '-')
    : undefined;
}

/** A text of our own pages, with its placeholders filled in. */
export function textOf(
  { dir, pages }: Language,
  name: PageText,
  values: Readonly<Record<string, string>> = {},
): string {
  return pages[name].replace(/\{(\w+)\}/g, (_match, key: string) => {
    const value = values[key] ?? '';
    // Isolated, so that what is read from left to right leaves the rest of the sentence where it is.
    return dir === 'rtl' ? `\u2068${value}\u2069` : value;
  });
}
