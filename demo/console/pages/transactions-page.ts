/** The list of transactions: filters, search, totals, a page at a time, and all of it as a file. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { ProviderFields, TransactionsView } from '../console-view.js';
import { read, toProblem } from './console-api.js';
import { CsvExport } from './csv-export.js';
import { count, renderOthers } from './formatting.js';
import { readAddress, suggestKnownThings, toQuery, watchFilters } from './forms.js';
import { keepPlace, keepScroll, readPlace, restoreScroll } from './list-place.js';
import { Loader } from './loader.js';
import { renderProblem, renderState } from './states.js';
import { TransactionTable } from './transaction-table.js';
import { renderTotals } from './transaction-totals.js';
import { Waiting } from './waiting.js';

const MAX_PAGE_ROWS = 500;

const host = find(document, '#result', HTMLElement);
const form = find(document, '#filters', HTMLFormElement);
const waiting = new Waiting(find(document, '#waiting', HTMLElement));
const loader = new Loader({ host, waiting, form });

/** All rows of a list so far, and what the last page of them said. */
interface ShownList {
  readonly rows: readonly ProviderFields[];
  readonly unreadable: number;
  readonly searched: number;
  readonly lastPage: TransactionsView;
}

/** A list on the page. It is left for good when another one is asked for. */
interface Shown {
  readonly query: URLSearchParams;
  readonly table: TransactionTable;
  readonly csv: CsvExport;
  list: ShownList;
  problem?: TemplateResult | undefined;
  isAdding: boolean;
}

let newest: URLSearchParams;
let shown: Shown | undefined;

keepScroll();
readAddress(form);
watchFilters(form, () => load(false));
load(true);
void suggestKnownThings();

/** The first list of a page has as many rows as it had when the person left it. */
function load(isFirst: boolean): void {
  const query = toQuery(form);
  const place = readPlace();
  newest = query;
  shown?.csv.stop();
  void loader
    .load({
      ask: (signal) => readList(query, place.shown, signal),
      draw: (list) => {
        const current: Shown = {
          query,
          list,
          isAdding: false,
          csv: new CsvExport(exportQuery(query), () => draw(current)),
          table: new TransactionTable({
            ...{ sort: place.sort, columns: place.columns },
            onChange: () => draw(current),
          }),
        };
        current.table.setRows(list.rows, list.lastPage.timezone);
        shown = current;
        return renderList(current);
      },
      summary: ({ rows, searched, lastPage: { hasMore } }) =>
        searched > 0
          ? `${count(rows.length, 'transaction')} found in ${count(searched, 'row')}${hasMore ? '; there are more to search' : ''}.`
          : `${count(rows.length, 'transaction')}${hasMore ? '; there are more' : ', and that is all'}.`,
    })
    .then(() => {
      if (isFirst) restoreScroll();
    });
}

async function readList(
  query: URLSearchParams,
  wanted: number,
  signal: AbortSignal,
): Promise<ShownList> {
  const first = new URLSearchParams(query);
  const isMore = wanted > Number(query.get('limit') ?? 0) && !query.has('q');
  if (isMore) first.set('limit', String(Math.min(wanted, MAX_PAGE_ROWS)));
  let list = growBy(await read<TransactionsView>(`/api/transactions?${first}`, signal));
  while (list.rows.length < wanted && list.lastPage.nextCursor !== undefined) {
    list = growBy(await readNext(list, query, signal), list);
  }
  return list;
}

function readNext(
  { lastPage: { nextCursor = '' } }: ShownList,
  query: URLSearchParams,
  signal?: AbortSignal,
): Promise<TransactionsView> {
  const next = new URLSearchParams([...query, ['cursor', nextCursor]]);
  return read<TransactionsView>(`/api/transactions?${next}`, signal);
}

function growBy(view: TransactionsView, list?: ShownList): ShownList {
  return {
    rows: [...(list?.rows ?? []), ...view.rows],
    unreadable: (list?.unreadable ?? 0) + view.unreadable,
    searched: (list?.searched ?? 0) + (view.searched ?? 0),
    lastPage: view,
  };
}

/**
 * Asks for the page after the last one, and takes the focus to its first row. A list that makes way
 * for a newer one, which is still to come, does not grow.
 */
async function add(current: Shown): Promise<void> {
  const { query, list, table } = current;
  if (query !== newest || current.isAdding || list.lastPage.nextCursor === undefined) return;
  current.isAdding = true;
  const running = new AbortController();
  waiting.start(list.searched > 0 ? 'Searching on…' : 'Asking for more…', () => running.abort());
  try {
    const more = await readNext(list, query, running.signal);
    if (query !== newest) return;
    current.list = growBy(more, list);
    current.problem = undefined;
    table.setRows(current.list.rows, more.timezone);
    draw(current);
    waiting.end(`${more.rows.length} more, ${current.list.rows.length} in all.`);
    host.querySelector<HTMLElement>(`[aria-controls="row-${list.rows.length}"]`)?.focus();
  } catch (error) {
    if (query !== newest) return;
    if (running.signal.aborted) {
      waiting.end('Stopped. No more were added.');
      host.querySelector<HTMLElement>('[data-more]')?.focus();
      return;
    }
    const problem = toProblem(error);
    waiting.end(`${problem.title} ${problem.next}`, 'screen-reader');
    current.problem = renderProblem(problem, () => void add(current));
    draw(current);
  } finally {
    current.isAdding = false;
  }
}

/** Draws the list again, unless another one has taken its place. */
function draw(current: Shown): void {
  if (current === shown) render(renderList(current), host);
}

function renderList(current: Shown): TemplateResult {
  const { list, table, csv, query, problem } = current;
  const { rows, unreadable, searched } = list;
  const { hasMore, nextCursor, others } = list.lastPage;
  const isMore = rows.length > list.lastPage.rows.length;
  if (newest === query) {
    const { sort, columns } = table;
    keepPlace(query, {
      shown: isMore ? rows.length : 0,
      ...(sort !== undefined && { sort }),
      ...(columns !== undefined && { columns }),
    });
  }
  if (rows.length === 0 && !hasMore && unreadable === 0) return renderNone(query, searched > 0);
  return html`
    ${renderTotals(rows)}
    <div class="list-tools">${table.renderColumnChoice()} ${csv.render()}</div>
    ${
      query.has('q')
        ? html`<p>
            <small>
              The provider has no search: the console reads its list, newest first. An export has
              all rows of the filters.
            </small>
          </p>`
        : nothing
    }
    ${
      unreadable === 0
        ? nothing
        : html`<p class="is-wait">
            ${count(unreadable, 'row')} of the provider cannot be read, and may be about any
            payment.
          </p>`
    }
    ${rows.length === 0 ? html`<p>Nothing found so far.</p>` : table.render()}
    ${problem ?? (hasMore ? renderMore(current) : nothing)}
    ${
      hasMore && nextCursor === undefined
        ? html`<p class="is-wait">
            There may be more rows, and the provider does not say where. Ask for fewer days at a
            time.
          </p>`
        : nothing
    }
    ${renderOthers(Object.entries(others))}
  `;
}

function renderNone(query: URLSearchParams, isSearch: boolean): TemplateResult {
  if (query.size === 0) {
    return renderState(
      {
        title: 'No transactions yet',
        next: 'A payment is here as soon as the provider lists it. Create a session to try one.',
      },
      html`<p><a href="/checkout-session">Create a checkout session</a></p>`,
    );
  }
  return renderState(
    {
      title: `No transactions match ${isSearch ? 'this search' : 'these filters'}.`,
      next: isSearch
        ? 'The search looks for the whole text in every field. Try a shorter one, or fewer filters.'
        : 'Try more days, another status, or another merchant.',
    },
    html`<p><a href="/transactions">Show all</a></p>`,
  );
}

function renderMore(current: Shown): TemplateResult | typeof nothing {
  if (current.list.lastPage.nextCursor === undefined) return nothing;
  return html`<p>
    <button type="button" class="outline" data-more @click=${() => void add(current)}>
      ${current.list.searched > 0 ? 'Search on' : 'Show more'}
    </button>
  </p>`;
}

/** The file has all rows of the filters: the provider knows of no search and of no page size. */
function exportQuery(query: URLSearchParams): string {
  const filters = [...query].filter(([name]) => name !== 'limit' && name !== 'q');
  return new URLSearchParams(filters).toString();
}
