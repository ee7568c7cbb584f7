/** Where a person is in a list, kept in the address: how many rows, in which order, with which columns. */

export interface ListPlace {
  /** Rows that are shown; none of them known: one page. */
  readonly shown: number;
  /** Such as `amount`, or `-amount` for the largest first. */
  readonly sort?: string;
  /** Identifiers of the columns, when they are not the usual ones. */
  readonly columns?: readonly string[];
}

export function readPlace(): ListPlace {
  const said = new URLSearchParams(location.search);
  const sort = said.get('sort');
  const columns = said.get('columns');
  return {
    shown: Number(said.get('shown')) || 0,
    ...(sort !== null && { sort }),
    ...(columns !== null && { columns: columns.split(',') }),
  };
}

/** The address of the same list at this place; going back from another page leads to it. */
export function keepPlace(query: URLSearchParams, { shown, sort, columns }: ListPlace): void {
  const said = new URLSearchParams(query);
  if (shown > 0) said.set('shown', String(shown));
  if (sort !== undefined) said.set('sort', sort);
  if (columns !== undefined) said.set('columns', columns.join(','));
  history.replaceState(history.state, '', said.size > 0 ? `?${said}` : location.pathname);
}

interface Scrolled {
  readonly scroll?: number;
}

/** The browser would scroll before the rows are there. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    history.replaceState({ scroll: scrollY } satisfies Scrolled, '');
  });
}

export function restoreScroll(): void {
  const { scroll = 0 } = (history.state ?? {}) as Scrolled;
  if (scroll > 0) scrollTo({ top: scroll, behavior: 'instant' });
}
