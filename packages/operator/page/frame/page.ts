import type { TemplateResult } from 'lit';
import type { Question } from './api.js';

/** What the address says: parts of its path, and its query. */
export type Params = Readonly<Record<string, string | undefined>>;

/** What a page may ask of the frame around it. */
export interface PageActions {
  /**
   * Asks the server for a change, and then for the page again; `done` is said when it has happened.
   * With `ask`, the person is asked first.
   */
  act(action: Action): Promise<void>;
  /** Says what was done without the server. */
  say(done: string): void;
  /** The answer of the last action that wanted it kept, until the page is left. */
  readonly kept: unknown;
  /** Whether the person may do what is for a role. */
  may(role: 'act' | 'admin'): boolean;
  /** The partner console, if the server knows one. */
  readonly consoleUrl: string | undefined;
}

/** One change to ask the server for. */
interface Request {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A change, or several that are asked for one after the other until one fails. */
export type Action = (Request | { readonly each: readonly Request[] }) & {
  readonly done: string;
  readonly isKept?: boolean;
  /** What the person is asked before: to confirm, or for a note as well. */
  readonly ask?: {
    readonly title: string;
    readonly text: string;
    readonly button: string;
    /** Default: none. */
    readonly note?: 'optional' | 'required';
    /** Whether it may be for a colleague, whose name is sent as `for`. */
    readonly hasPerson?: boolean;
  };
};

/** One page: it reads one thing of the server, again and again, and draws it. */
export interface Page<T = unknown> {
  /** Such as `orders/:merchant/:order`. */
  readonly path: string;
  /** Its name in the navigation; without one it has no place there. */
  readonly nav?: string;
  /** Where its navigation leads to. Default: its path. */
  readonly navPath?: string;
  readonly title: (params: Params) => string;
  /** What it reads, below `/page/`; undefined: nothing. */
  readonly read: (params: Params) => Question | undefined;
  readonly draw: (answer: T, params: Params, actions: PageActions) => TemplateResult;
  /** Default: a few seconds. */
  readonly everySeconds?: number;
}

/** A page as the table has it, whatever it reads. */
export const page = <T>(definition: Page<T>): Page => definition as Page;

/** The address of a page, to link to. */
export function linkTo(path: string, query: Params = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path}${search && `?${search}`}`;
}

/** Finds the page of an address such as `#/orders/teashop/A1?x=1`; without a path it is the first one. */
export function findPage(
  hash: string,
  pages: readonly Page[],
): { readonly page: Page; readonly params: Params } | undefined {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [first] = pages;
  if (path === '' && first) return { page: first, params: {} };
  const parts = path.split('/');
  for (const page of pages) {
    const names = page.path.split('/');
    const isMatch =
      names.length === parts.length &&
      names.every((name, at) => name.startsWith(':') || name === parts[at]);
    if (!isMatch) continue;
    const params = Object.fromEntries(new URLSearchParams(query));
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
