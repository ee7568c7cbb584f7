/**
 * Forms of the control routes. What a field takes is what `/openapi.json` says of its route; a view says
 * in which words it is asked for.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ApiDescription, Schema } from './api.js';
import type { Frame } from './view.js';

/** How a person is asked for a field. */
interface Field {
  readonly label: string;
  /** What is in it at first. */
  readonly value?: string | number;
  /** What happens without a value. */
  readonly placeholder?: string;
  /** Values, each with a word. Default: those of the schema, if it has a list. */
  readonly options?: readonly (readonly [value: string | number, word: string])[];
  readonly isRequired?: boolean;
  readonly onChange?: (value: string) => void;
}

type Body = Readonly<Record<string, unknown>>;

interface RouteForm<Answer> {
  /** Routes below `/_sandbox` that take the same fields, each with the word on its button. */
  readonly buttons: Readonly<Record<string, string>>;
  /** For `{id}` in the routes. */
  readonly id?: string;
  readonly name?: string;
  /** By the names of the route; `name.0` is the first item of a list. */
  readonly fields: Readonly<Record<string, Field>>;
  /** The body of the fields that are filled in. Default: just these. */
  readonly toBody?: (fields: Body) => Body;
  /** What is said when it has happened. */
  readonly done: (answer: Answer, sent: { readonly route: string; readonly body: Body }) => string;
  /** Below the fields. */
  readonly note?: TemplateResult;
}

export function renderForm<Answer>(frame: Frame, form: RouteForm<Answer>): TemplateResult {
  const { buttons, id = '', name, fields, toBody = (body) => body, done, note } = form;
  const [first = ''] = Object.keys(buttons);
  const { schema, method } = findRoute(frame.api, first);
  const schemas = Object.keys(fields).map((field) => [field, fieldOf(schema, field)] as const);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { value: route } = event.submitter as HTMLButtonElement;
    const body = toBody(
      Object.fromEntries(
        schemas.flatMap(([field, of]) => {
          const text = readText(event, field);
          return text === '' ? [] : [[field, parseText(of, text)]];
        }),
      ),
    );
    void frame.act({
      path: route.replace('{id}', encodeURIComponent(id)),
      method,
      body,
      done: (answer: never) => done(answer, { route, body }),
    });
  };
  return html`<form class="inline" aria-label=${name ?? nothing} @submit=${submit}>
    ${repeat(
      schemas,
      ([field]) => field,
      ([field, of]) => {
        const { label, ...asked } = fields[field] as Field;
        const isRequired = asked.isRequired ?? schema.required?.includes(field) ?? false;
        return html`<label>${label} ${renderControl(field, of, { ...asked, isRequired })}</label>`;
      },
    )}
    ${Object.entries(buttons).map(
      ([route, word], at) =>
        html`<button class=${at > 0 ? 'outline' : nothing} value=${route}>${word}</button>`,
    )}
    ${note}
  </form>`;
}

/** A field of a form, as its schema has it. */
export function renderControl(
  name: string,
  schema: Schema,
  field: Omit<Field, 'label'> & { readonly label?: string },
): TemplateResult {
  const { label = nothing, value = '', placeholder = nothing, isRequired, onChange } = field;
  const options = field.options ?? schema.enum?.map((word) => [word, word] as const);
  const change = (event: Event) => onChange?.((event.target as HTMLSelectElement).value);
  if (options) {
    return html`<select name=${name} aria-label=${label} .value=${String(value)} @change=${change}>
      ${options.map(
        ([each, word]) =>
          html`<option value=${each} ?selected=${String(each) === String(value)}>${word}</option>`,
      )}
    </select>`;
  }
  const { type, minimum = nothing, maximum = nothing } = schema;
  const isMoment = schema.format === 'date-time';
  return html`<input
    name=${name}
    aria-label=${label}
    type=${isMoment ? 'datetime-local' : isNumber(schema) ? 'number' : 'text'}
    min=${minimum}
    max=${maximum}
    step=${type === 'integer' || isMoment ? '1' : isNumber(schema) ? 'any' : nothing}
    .value=${String(value)}
    placeholder=${placeholder}
    ?required=${isRequired}
    autocomplete="off"
    spellcheck="false"
  />`;
}

/** What a person has typed or chosen. */
export function readText({ target }: Event, name: string): string {
  const value = new FormData(target as HTMLFormElement).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The text of a field as the schema wants it: a moment in UTC, a number, a text, or JSON. */
export function parseText(schema: Schema, text: string): unknown {
  if (schema.format === 'date-time') return new Date(`${text}Z`).toISOString();
  if (isNumber(schema)) return Number(text);
  if ([schema.type].flat().includes('string')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const isNumber = ({ type }: Schema): boolean => type === 'number' || type === 'integer';

function findRoute({ paths, components }: ApiDescription, route: string) {
  const operations = Object.entries(paths[`/_sandbox/${route}`] ?? {});
  for (const [method, { requestBody }] of operations) {
    if (requestBody === undefined) continue;
    const { schema } = requestBody.content['application/json'];
    const name = schema.$ref?.split('/').at(-1) ?? '';
    return {
      method: method.toUpperCase() as 'POST' | 'PATCH',
      schema: components.schemas[name] ?? schema,
    };
  }
  throw new Error(`No route of the sandbox takes a form: ${route}`);
}

/** Of a union: the first one that has it and is not null. */
function fieldOf(schema: Schema, field: string): Schema {
  const [name = '', item] = field.split('.');
  const found = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties?.[name]);
  const of = found?.properties?.[name];
  const one = item === undefined ? of : of?.prefixItems?.[Number(item)];
  if (one === undefined) throw new Error(`The route has no field ${field}.`);
  return one.anyOf?.find(({ type }) => type !== 'null') ?? one;
}
