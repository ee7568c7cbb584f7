/** The HTML of a form, made at build time from the fields of its operation. */
import {
  FIELD_WORDS,
  FORM_LAYOUTS,
  type FieldWords,
  type FormGroup,
  type FormLayout,
} from './form-layouts.js';
import { fieldsOf, type OperationField } from './operation-fields.js';

/** Every field of the operation: in its group, or in a last one of its own. */
export function renderOperationForm(name: string): string {
  const layout = FORM_LAYOUTS[name];
  if (layout === undefined) throw new Error(`There is no form ${name}.`);
  const fields = fieldsOf(layout.operation);
  const placed = [...layout.groups.flatMap((group) => group.fields), ...(layout.leftOut ?? [])];
  const others = fields.filter((field) => !placed.includes(field.name)).map((field) => field.name);
  const isFolded = layout.groups.at(-1)?.isFolded ?? false;
  const groups = [
    ...layout.groups,
    ...(others.length > 0 ? [{ title: 'Other fields', isFolded, fields: others }] : []),
  ];
  return groups.map((group) => renderGroup(group, fields, layout)).join('\n');
}

function renderGroup(group: FormGroup, all: readonly OperationField[], layout: FormLayout): string {
  const controls = group.fields.map((name) => {
    const field = all.find((other) => other.name === name);
    if (field === undefined) throw new Error(`${layout.operation} has no field ${name}.`);
    return field.kind === 'rows' ? renderRows(field, layout) : renderField(field, layout);
  });
  const output = group.outputId === undefined ? '' : `<div id="${group.outputId}"></div>`;
  const body = `<div class="field-grid">${controls.join('\n')}</div>${output}`;
  if (group.title === undefined) return body;
  if (group.isFolded) {
    return `<details><summary>${escape(group.title)}</summary>${body}</details>`;
  }
  const hint = group.hint === undefined ? '' : `<p><small>${escape(group.hint)}</small></p>`;
  return `<fieldset><legend><h2>${escape(group.title)}</h2></legend>${hint}${body}</fieldset>`;
}

/** A template of one row; the page's script adds and removes copies, with a number for `#`. */
function renderRows(field: OperationField, layout: FormLayout): string {
  const { rowName = 'row' } = layout;
  const row = field.fields.map((inner) => renderField(inner, layout, field.name)).join('\n');
  return `<div class="rows-field" data-rows="${field.name}" data-row-name="${rowName}">
  <template>
    <fieldset class="row">
      <legend></legend>
      <div class="field-grid">${row}</div>
      <button type="button" class="outline" data-remove>Remove</button>
    </fieldset>
  </template>
  <div data-list></div>
  <button type="button" class="outline" data-add>Add a ${rowName}</button>
</div>`;
}

/** @param rows - The name of the rows that the field is in. */
function renderField(
  field: OperationField,
  { isPlain, operation }: FormLayout,
  rows?: string,
): string {
  const name = rows === undefined ? field.name : `${rows}.${field.name}`;
  const words = FIELD_WORDS[`${operation}.${name}`] ?? FIELD_WORDS[name];
  const id = rows === undefined ? field.name : `${rows}.#.${field.name}`;
  const label = words?.label ?? humanise(field.name);
  const hint = words?.hint ?? (words === undefined ? field.description : undefined);
  const list = words?.list ?? (field.examples.length > 0 ? `${id}-list` : undefined);
  const options = field.examples.map((value) => `<option value="${escape(value)}"></option>`);
  const attributes = [
    `id="${id}"`,
    `name="${id}"`,
    ...typeOf(field, words?.type),
    ...(list === undefined ? [] : [`list="${list}"`]),
    ...(hint === undefined ? [] : [`aria-describedby="${id}-hint"`]),
    ...(words?.placeholder === undefined ? [] : [`placeholder="${escape(words.placeholder)}"`]),
    ...(words?.value === undefined ? [] : [`value="${escape(words.value)}"`]),
    'autocomplete="off"',
    ...(field.isRequired ? ['required'] : []),
  ];
  const isOwnList = list === `${id}-list` && words?.options === undefined;
  return `<div class="field"${words?.isHidden ? ' hidden' : ''}>
  <label for="${id}">${escape(label)}${label === field.name || isPlain ? '' : ` <code>${field.name}</code>`}${
    field.isRequired ? ' <small>required</small>' : ''
  }</label>
  ${words?.options ? renderSelect(field, id, words.options) : `<input ${attributes.join(' ')} />`}
  ${hint === undefined ? '' : `<small id="${id}-hint">${escape(hint)}</small>`}
  ${isOwnList ? `<datalist id="${id}-list">${options.join('')}</datalist>` : ''}
</div>`;
}

function renderSelect(
  { examples }: OperationField,
  id: string,
  options: NonNullable<FieldWords['options']>,
): string {
  const others = examples
    .filter((example) => !options.some(([value]) => value === example))
    .map((example) => [example, humanise(example)] as const);
  const items = [...options, ...others].map(
    ([value, text]) => `<option value="${value}">${escape(text)}</option>`,
  );
  return `<select id="${id}" name="${id}">${items.join('')}</select>`;
}

function typeOf({ kind }: OperationField, type: string | undefined): string[] {
  if (kind === 'date') return ['type="date"'];
  if (kind === 'integer') return ['inputmode="numeric"'];
  if (kind === 'number') return ['inputmode="decimal"'];
  return type === undefined ? [] : [`type="${type}"`];
}

function humanise(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
