/** Transactions as a table, sorted and with the columns of choice. */
import {
  columnVisibilityFeature,
  constructTable,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type Header,
  type Row,
} from '@tanstack/table-core';
import { storeReactivityBindings } from '@tanstack/table-core/store-reactivity-bindings';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { ProviderFields } from '../console-view.js';
import { compareDecimals, isDecimal } from '../decimal.js';
import { renderFields } from './formatting.js';
import {
  describeAmount,
  describeMethod,
  describeRefund,
  describeStatus,
  MomentWords,
  pathOfTransaction,
} from './transaction-words.js';

interface Column {
  readonly id: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** What it sorts by. */
  readonly text: (row: ProviderFields) => string | undefined;
  readonly draw: (row: ProviderFields, moments: MomentWords) => TemplateResult | string;
}

const USUAL: readonly Column[] = [
  {
    id: 'time',
    title: 'Time',
    text: (row) => row['transactionTime'],
    draw: (row, moments) =>
      html`<time datetime=${row['transactionTime'] ?? ''}>
        ${moments.describe(row['transactionTime'])}
      </time>`,
  },
  {
    id: 'order',
    title: 'Order',
    text: (row) => row['orderRef'],
    draw: (row) =>
      html`<a href=${pathOfTransaction(row)}>${row['orderRef'] ?? row['id'] ?? 'no reference'}</a>`,
  },
  {
    id: 'merchant',
    title: 'Merchant',
    text: (row) => row['merchantName'] ?? row['merchantId'],
    draw: (row) => row['merchantName'] ?? row['merchantId'] ?? '–',
  },
  { id: 'method', title: 'Paid with', text: describeMethod, draw: describeMethod },
  {
    id: 'status',
    title: 'Status',
    text: describeStatus,
    draw: (row) => {
      const refund = describeRefund(row);
      return html`<span data-status=${row['status'] ?? ''}>${describeStatus(row)}</span>
        ${refund === undefined ? nothing : html`<br /><small>${refund}</small>`}`;
    },
  },
  {
    id: 'amount',
    title: 'Amount',
    isNumber: true,
    text: (row) => row['amount'],
    draw: describeAmount,
  },
];

const features = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(),
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});
type Features = typeof features;

export interface TableOptions {
  /** Such as `-amount`. */
  readonly sort?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly onChange: () => void;
}

/** The rows that have been loaded, in the order and with the columns that a person wants. */
export class TransactionTable {
  readonly #table;
  #columns: readonly Column[] = USUAL;
  #moments = new MomentWords(undefined);

  constructor({ sort, columns, onChange }: TableOptions) {
    const id = sort?.replace(/^-/, '');
    this.#wanted = columns;
    this.#table = constructTable<Features, ProviderFields>({
      features,
      data: [],
      columns: USUAL.map(toColumnDef),
      enableMultiSort: false,
      initialState: {
        sorting: id === undefined ? [] : [{ id, desc: sort?.startsWith('-') === true }],
      },
    });
    this.#table.store.subscribe(onChange);
  }

  /** Columns from the address; fields that no row has yet are waited for. */
  readonly #wanted: readonly string[] | undefined;

  get sort(): string | undefined {
    const [sorting] = this.#table.store.state.sorting;
    return sorting && `${sorting.desc ? '-' : ''}${sorting.id}`;
  }

  /** The visible columns; nothing when they are the usual ones. */
  get columns(): readonly string[] | undefined {
    const visible = this.#table.getVisibleLeafColumns().map(({ id }) => id);
    const isUsual = visible.join() === USUAL.map(({ id }) => id).join();
    return isUsual ? undefined : visible;
  }

  /** Each field of the rows can be a column of its own. */
  setRows(rows: readonly ProviderFields[], timezone: string | undefined): void {
    if (new MomentWords(timezone).zone !== this.#moments.zone) {
      this.#moments = new MomentWords(timezone);
    }
    const known = new Set(this.#columns.map(({ id }) => id));
    const names = new Set(rows.flatMap((row) => Object.keys(row)));
    const added = [...names].filter((name) => !known.has(name)).map(columnOfField);
    this.#columns = [...this.#columns, ...added];
    const visibility = Object.fromEntries(
      [...this.#columns].map(({ id }) => [id, this.#isVisible(id, known)]),
    );
    this.#table.setOptions((options) => ({
      ...options,
      data: [...rows],
      columns: this.#columns.map(toColumnDef),
    }));
    this.#table.setColumnVisibility(visibility);
  }

  #isVisible(id: string, known: ReadonlySet<string>): boolean {
    const current = this.#table.store.state.columnVisibility[id];
    if (current !== undefined && known.has(id)) return current;
    return this.#wanted?.includes(id) ?? USUAL.some((column) => column.id === id);
  }

  renderColumnChoice(): TemplateResult {
    return html`<details>
      <summary>Columns</summary>
      <div class="choices">
        ${this.#columns.map(({ id, title }) => {
          const column = this.#table.getColumn(id);
          return html`<label>
            <input
              type="checkbox"
              .checked=${column?.getIsVisible() === true}
              @change=${() => column?.toggleVisibility()}
            />
            ${title}
          </label>`;
        })}
      </div>
    </details>`;
  }

  render(): TemplateResult {
    const [headers] = this.#table.getHeaderGroups();
    const visible = this.#columns.filter(({ id }) => this.#table.getColumn(id)?.getIsVisible());
    const kind = visible.map(({ id }) => id).join();
    return html`<div class="overflow-auto" tabindex="0" role="region" aria-label="Transactions">
      <table class="transactions">
        <caption>
          ${this.sort === undefined ? 'Newest first.' : 'Only what is shown here is sorted.'} Times
          in ${this.#moments.zone}.
        </caption>
        <thead>
          <tr>
            ${headers?.headers.map((header) => this.#renderHeader(header))}
            <th scope="col"><span class="unseen">All fields</span></th>
          </tr>
        </thead>
        <tbody>
          ${repeat(
            this.#table.getRowModel().rows,
            (row) => row.index,
            (row) =>
              // A row that stands is not drawn again when others are added.
              guard([row.original, kind, this.#moments], () =>
                renderRow(row, visible, this.#moments),
              ),
          )}
        </tbody>
      </table>
    </div>`;
  }

  #renderHeader({ column }: Header<Features, ProviderFields>): TemplateResult {
    const { title, isNumber } =
      this.#columns.find(({ id }) => id === column.id) ?? columnOfField(column.id);
    const sorted = column.getIsSorted();
    const order = { asc: 'ascending', desc: 'descending' } as const;
    return html`<th
      scope="col"
      class=${isNumber ? 'number' : ''}
      aria-sort=${sorted === false ? 'none' : order[sorted]}
    >
      <button type="button" @click=${() => column.toggleSorting()}>
        ${title}<span aria-hidden="true"
          >${{ none: '', asc: ' ↑', desc: ' ↓' }[sorted || 'none']}</span
        >
      </button>
    </th>`;
  }
}

function toColumnDef({ id, text }: Column): ColumnDef<Features, ProviderFields> {
  return {
    id,
    accessorFn: text,
    sortUndefined: 'last',
    sortFn: (one, other) => compareTexts(String(one.getValue(id)), String(other.getValue(id))),
  };
}

function compareTexts(one: string, other: string): number {
  if (isDecimal(one) && isDecimal(other)) return compareDecimals(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

function columnOfField(name: string): Column {
  return { id: name, title: name, text: (row) => row[name], draw: (row) => row[name] || '–' };
}

function renderRow(
  { original, index }: Row<Features, ProviderFields>,
  columns: readonly Column[],
  moments: MomentWords,
): TemplateResult {
  return html`<tr>
      ${columns.map(
        ({ isNumber, draw }) =>
          html`<td class=${isNumber ? 'number' : ''}>${draw(original, moments)}</td>`,
      )}
      <td>
        <button
          type="button"
          class="outline"
          aria-expanded="false"
          aria-controls="row-${index}"
          aria-label="All fields of ${original['orderRef'] ?? original['id'] ?? `row ${index + 1}`}"
          @click=${unfold}
        >
          All fields
        </button>
      </td>
    </tr>
    <tr id="row-${index}" hidden>
      <td colspan=${columns.length + 1}>${renderFields(Object.entries(original))}</td>
    </tr>`;
}

function unfold({ currentTarget: button }: Event): void {
  if (!(button instanceof HTMLButtonElement)) return;
  const row = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (row === null) return;
  row.hidden = !row.hidden;
  button.setAttribute('aria-expanded', String(!row.hidden));
}
