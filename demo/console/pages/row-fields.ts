/** Fields that are lists of objects: rows that a person adds and removes. */
import { find } from '../../shared/pages/find.js';

export class RowFields {
  readonly #host: HTMLElement;
  readonly #list: HTMLElement;
  readonly #row: DocumentFragment;
  readonly #add: HTMLButtonElement;
  /** Numbers are not used again: the names of rows that stand stay as they are. */
  #next = 0;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#list = find(host, '[data-list]', HTMLElement);
    this.#row = find(host, 'template', HTMLTemplateElement).content;
    this.#add = find(host, '[data-add]', HTMLButtonElement);
    this.#add.addEventListener('click', () => {
      this.add()?.querySelector('input')?.focus();
    });
    this.#list.addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.matches('[data-remove]')) {
        this.#remove(event.target.closest('.row'));
      }
    });
  }

  get name(): string {
    return this.#host.dataset['rows'] ?? '';
  }

  /** The rows as they are filled in: texts by the names of their fields. */
  get rows(): readonly Readonly<Record<string, string>>[] {
    return [...this.#list.children].map((row) =>
      Object.fromEntries(
        [...row.querySelectorAll('input')].map((input) => [
          input.name.split('.').at(-1) ?? '',
          input.value.trim(),
        ]),
      ),
    );
  }

  add(values: Readonly<Record<string, string>> = {}): Element | undefined {
    const index = this.#next++;
    const row = document.importNode(this.#row, true);
    for (const element of row.querySelectorAll('*')) {
      for (const attribute of ['id', 'name', 'for', 'aria-describedby', 'list']) {
        const text = element.getAttribute(attribute);
        if (text !== null) element.setAttribute(attribute, text.replaceAll('#', String(index)));
      }
      if (element instanceof HTMLInputElement) {
        element.value = values[element.name.split('.').at(-1) ?? ''] ?? '';
      }
    }
    this.#list.append(row);
    this.#changed();
    return this.#list.lastElementChild ?? undefined;
  }

  clear(): void {
    this.#list.replaceChildren();
    this.#changed();
  }

  /** The focus goes to the row that takes the place, or to the button for another one. */
  #remove(row: Element | null): void {
    const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
    row?.remove();
    this.#changed();
    (neighbour?.querySelector('input') ?? this.#add).focus();
  }

  #changed(): void {
    const name = this.#host.dataset['rowName'] ?? 'row';
    [...this.#list.children].forEach((row, index) => {
      const words = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${index + 1}`;
      find(row, 'legend', HTMLElement).textContent = words;
      find(row, '[data-remove]', HTMLElement).setAttribute('aria-label', `Remove ${words}`);
    });
    this.#host.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

/** `{ 'SplitFee.1.value': '2' }` becomes `{ SplitFee: [null, { value: '2' }] }`: each row at its number. */
export function nestRows(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(fields)) {
    const [name = '', index, inner] = path.split('.');
    if (index === undefined || inner === undefined) {
      nested[path] = text;
      continue;
    }
    const rows = (nested[name] ??= []) as Record<string, string>[];
    (rows[Number(index)] ??= {})[inner] = text;
  }
  return nested;
}
