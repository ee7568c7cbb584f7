/** The list of transactions, a page at a time, and all of it as a file. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { TransactionsView } from '../../../shared/console-view.js';
import { find } from '../../parts/find.js';
import { read, toProblem } from '../parts/console-api.js';
import { count } from '../parts/count.js';
import { renderOthers } from '../parts/field-list.js';
import { readAddress, toQuery, watchFilters } from '../parts/filters.js';
import { readKnownThings, suggestMerchants } from '../parts/known-things.js';
import { Loader } from '../parts/loader.js';
import { renderProblem } from '../parts/problem-panel.js';
import { renderTransactions } from '../parts/transaction-table.js';
import { Waiting } from '../parts/waiting.js';

const host = find(document, '#result', HTMLElement);
const form = find(document, '#filters', HTMLFormElement);
const waiting = new Waiting(find(document, '#waiting', HTMLElement));
const loader = new Loader({ host, waiting, form });

/** What was asked for last. A list is told by the very object that it was asked with. */
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
    draw: (view) => renderList(view, query),
    summary: ({ rows, hasMore }) =>
      `${count(rows.length, 'transaction')}${hasMore ? '; there are more' : ', and that is all'}.`,
  });
}

/**
 * Asks for the page after the last one, and takes the focus to its first row. A list that makes way
 * for a newer one, which is still to come, does not grow.
 */
async function add(view: TransactionsView, query: URLSearchParams): Promise<void> {
  if (query !== newest || query === addingTo || view.nextCursor === undefined) return;
  addingTo = query;
  waiting.start('Asking for more…');
  try {
    const next = new URLSearchParams([...query, ['cursor', view.nextCursor]]);
    const more = await read<TransactionsView>(`/api/transactions?${next}`);
    if (query !== newest) return;
    const rows = [...view.rows, ...more.rows];
    render(renderList({ ...more, rows }, query), host);
    waiting.end(`${more.rows.length} more, ${rows.length} in all.`);
    const button = host.querySelector<HTMLElement>(`[aria-controls="row-${view.rows.length}"]`);
    button?.focus();
  } catch (error) {
    const problem = toProblem(error);
    if (query !== newest) return;
    waiting.end(`${problem.title} ${problem.next}`, 'heard');
    const again = (): void => void add(view, query);
    render(renderList(view, query, renderProblem(problem, again)), host);
  } finally {
    if (addingTo === query) addingTo = undefined;
  }
}

function renderList(
  view: TransactionsView,
  query: URLSearchParams,
  trouble?: TemplateResult,
): TemplateResult {
  const { rows, timezone, hasMore, nextCursor, others } = view;
  if (rows.length === 0 && !hasMore) {
    return html`<p class="lead">No transaction fits these filters.</p>
      <a class="button quiet" href="/transactions">Show them all</a>`;
  }
  return html`
    <p>
      <a class="button quiet" href="/api/transactions.csv?${withoutLimit(query)}" download>
        Download all as CSV
      </a>
    </p>
    ${keyed(query, renderTransactions(rows, timezone))}
    ${trouble ?? (hasMore ? renderMore(view, query) : nothing)}
    ${
      hasMore && nextCursor === undefined
        ? html`<p class="note">
            The provider says that there is more, and not where. Ask for fewer days at a time.
          </p>`
        : nothing
    }
    ${renderOthers(others)}
  `;
}

function renderMore(
  view: TransactionsView,
  query: URLSearchParams,
): TemplateResult | typeof nothing {
  if (view.nextCursor === undefined) return nothing;
  return html`<p class="next">
    <button type="button" class="button quiet" @click=${() => void add(view, query)}>
      Show more
    </button>
  </p>`;
}

function withoutLimit(query: URLSearchParams): string {
  return new URLSearchParams([...query].filter(([name]) => name !== 'limit')).toString();
}
