/** The list of transactions, a page at a time, and all of it as a file. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { find } from '../../shared/pages/find.js';
import type { ProviderFields, TransactionsView } from '../console-view.js';
import { read, toProblem } from './console-api.js';
import { count, renderOthers } from './formatting.js';
import { readAddress, toQuery, watchFilters, readKnownThings, suggestMerchants } from './forms.js';
import { Loader, renderProblem, Waiting } from './loader.js';
import { renderTransactions } from './transaction-table.js';

const host = find(document, '#result', HTMLElement);
const form = find(document, '#filters', HTMLFormElement);
const waiting = new Waiting(find(document, '#waiting', HTMLElement));
const loader = new Loader({ host, waiting, form });

/** All pages of a list so far, and what the last of them said beside its rows. */
interface ShownList {
  readonly pages: readonly (readonly ProviderFields[])[];
  readonly rowCount: number;
  readonly unreadable: number;
  readonly lastPage: TransactionsView;
}

/** The newest query. A list is identified by the query object that it was asked with. */
let newest: URLSearchParams;
/** The list that is being added to; another one does not wait for it. */
let addingTo: URLSearchParams | undefined;

readAddress(form);
watchFilters(form, load);
load();
void readKnownThings().then((known) => suggestMerchants('merchants', known));

function load(): void {
  const query = toQuery(form);
  newest = query;
  void loader.load({
    ask: (signal) => read<TransactionsView>(`/api/transactions?${query}`, signal),
    draw: (view) => renderList(growBy(view), query),
    summary: ({ rows, hasMore }) =>
      `${count(rows.length, 'transaction')}${hasMore ? '; there are more' : ', and that is all'}.`,
  });
}

/**
 * Asks for the page after the last one, and takes the focus to its first row. A list that makes way
 * for a newer one, which is still to come, does not grow.
 */
async function add(list: ShownList, query: URLSearchParams): Promise<void> {
  const { nextCursor } = list.lastPage;
  if (query !== newest || query === addingTo || nextCursor === undefined) return;
  addingTo = query;
  waiting.start('Asking for more…');
  try {
    const next = new URLSearchParams([...query, ['cursor', nextCursor]]);
    const more = await read<TransactionsView>(`/api/transactions?${next}`);
    if (query !== newest) return;
    const grown = growBy(more, list);
    render(renderList(grown, query), host);
    waiting.end(`${more.rows.length} more, ${grown.rowCount} in all.`);
    const button = host.querySelector<HTMLElement>(`[aria-controls="row-${list.rowCount}"]`);
    button?.focus();
  } catch (error) {
    const problem = toProblem(error);
    if (query !== newest) return;
    waiting.end(`${problem.title} ${problem.next}`, 'screen-reader');
    const again = (): void => void add(list, query);
    render(renderList(list, query, renderProblem(problem, again)), host);
  } finally {
    if (addingTo === query) addingTo = undefined;
  }
}

function growBy(view: TransactionsView, list?: ShownList): ShownList {
  return {
    pages: [...(list?.pages ?? []), view.rows],
    rowCount: (list?.rowCount ?? 0) + view.rows.length,
    unreadable: (list?.unreadable ?? 0) + view.unreadable,
    lastPage: view,
  };
}

function renderList(
  list: ShownList,
  query: URLSearchParams,
  problem?: TemplateResult,
): TemplateResult {
  const { pages, rowCount, unreadable } = list;
  const { timezone, hasMore, nextCursor, others } = list.lastPage;
  if (rowCount === 0 && !hasMore && unreadable === 0) {
    return html`<p class="lead">No transactions match these filters.</p>
      <a class="button quiet" href="/transactions">Show all</a>`;
  }
  return html`
    <p>
      <a class="button quiet" href="/api/transactions.csv?${withoutLimit(query)}" download>
        Download all as CSV
      </a>
    </p>
    ${
      unreadable === 0
        ? nothing
        : html`<p class="note">
            ${count(unreadable, 'row')} of the provider cannot be read, and may be about any
            payment.
          </p>`
    }
    ${keyed(query, renderTransactions(pages, timezone))}
    ${problem ?? (hasMore ? renderMore(list, query) : nothing)}
    ${
      hasMore && nextCursor === undefined
        ? html`<p class="note">
            There may be more rows, and the provider does not say where. Ask for fewer days at a
            time.
          </p>`
        : nothing
    }
    ${renderOthers(others)}
  `;
}

function renderMore(list: ShownList, query: URLSearchParams): TemplateResult | typeof nothing {
  if (list.lastPage.nextCursor === undefined) return nothing;
  return html`<p class="next">
    <button type="button" class="button quiet" @click=${() => void add(list, query)}>
      Show more
    </button>
  </p>`;
}

function withoutLimit(query: URLSearchParams): string {
  return new URLSearchParams([...query].filter(([name]) => name !== 'limit')).toString();
}
