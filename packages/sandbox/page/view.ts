import type { TemplateResult } from 'lit';
import { queryOf, type ApiDescription, type Call } from './api.js';

/** What the address says: parts of its path, and its query. */
export type Params = Readonly<Record<string, string | undefined>>;

export type Read = <T>(path: string) => Promise<T>;

/** What a view may ask of the frame around it. */
export interface Frame {
  /** Says what each route takes. */
  readonly api: ApiDescription;
  /** Asks for a change, then reads the view again; `done` is said when it has happened. */
  act(change: Call & { readonly done: string | ((answer: never) => string) }): Promise<void>;
  /** Changes the query of the address in place, as a filter does. */
  filter(query: Params): void;
  copy(text: string, done: string): Promise<void>;
}

/** One view of the page: what it reads, and how it is drawn. */
export interface View<T = unknown> {
  /** Such as `sessions/:id`. */
  readonly path: string;
  /** Its name in the navigation; without one it has no place there. */
  readonly nav?: string;
  /** Which place in the navigation it belongs to. Default: its own. */
  readonly under?: string;
  readonly title: (params: Params) => string;
  readonly read: (read: Read, params: Params) => Promise<T>;
  readonly draw: (answer: T, params: Params, frame: Frame) => TemplateResult;
}

/** A view as the table has it, whatever it reads. */
export const view = <T>(definition: View<T>): View => definition as View;

/** The address of a view, to link to. */
export function linkTo(path: string, query: Params = {}): string {
  return `#/${path}${queryOf(query)}`;
}

/** Finds the view of an address such as `#/sessions/4f2?x=1`; without a path it is the first one. */
export function findView(
  hash: string,
  views: readonly View[],
): { readonly view: View; readonly params: Params } | undefined {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const asked = Object.fromEntries(new URLSearchParams(query));
  const parts = path.split('/');
  for (const view of views) {
    const names = view.path.split('/');
    const isMatch =
      path === '' ||
      (names.length === parts.length &&
        names.every((name, at) => name.startsWith(':') || name === parts[at]));
    if (!isMatch) continue;
    const named = names.flatMap((name, at) =>
      name.startsWith(':') ? [[name.slice(1), decodeURIComponent(parts[at] ?? '')]] : [],
    );
    return { view, params: { ...asked, ...(Object.fromEntries(named) as Params) } };
  }
  return undefined;
}
