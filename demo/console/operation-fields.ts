/**
 * The fields of an operation of the provider, from the client's own schemas: a field that is new there
 * is in the console's forms and requests, too.
 */
import { requestSchemas } from '@pay-checkout/partner-api/openapi';
import type { ConsoleProblem } from './console-view.js';
import { refuseFields, refuseRequest } from './console-error.js';

/** `names` are several texts, `rows` several objects. */
export type FieldKind = 'text' | 'date' | 'integer' | 'number' | 'names' | 'rows';

/** One field of a request. */
export interface OperationField {
  /** As the provider spells it. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description?: string;
  /** Values that the provider's document shows; others may be right. */
  readonly examples: readonly string[];
  /** The fields of each object of `rows`. */
  readonly fields: readonly OperationField[];
}

/** As much of JSON Schema as the client's schemas use. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The fields of an operation such as `checkoutSessions.create`, in the order of the document. */
export function fieldsOf(operation: string): readonly OperationField[] {
  const schema = requestSchemas[operation] as Schema | undefined;
  if (schema === undefined) throw new Error(`There is no operation ${operation}.`);
  return readFields(schema, schema.$defs ?? {});
}

function readFields(schema: Schema, defs: NonNullable<Schema['$defs']>): OperationField[] {
  const { properties = {}, required = [] } = follow(schema, defs);
  return Object.entries(properties).map(([name, given]) => {
    const field = follow(given, defs);
    const items = field.items && follow(field.items, defs);
    const kind = kindOf(field, items);
    return {
      name,
      kind,
      isRequired: required.includes(name),
      ...(field.description !== undefined && { description: field.description }),
      examples: (field.examples ?? []).flat().map(String),
      fields: kind === 'rows' && items ? readFields(items, defs) : [],
    };
  });
}

function follow(schema: Schema, defs: NonNullable<Schema['$defs']>): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...defs[name], ...schema };
}

function kindOf({ type, format }: Schema, items: Schema | undefined): FieldKind {
  if (type === 'array') return items?.type === 'object' ? 'rows' : 'names';
  if (type === 'integer' || type === 'number') return type;
  return format === 'date' ? 'date' : 'text';
}

type FieldErrors = NonNullable<ConsoleProblem['errors']>;

/**
 * A request from the texts of a form: numbers become numbers, empty texts and empty rows are left out.
 * What cannot be read is refused at its field; the client checks the rest.
 */
export function readRequest(operation: string, given: unknown): Record<string, unknown> {
  if (!isObject(given)) {
    throw refuseRequest(400, 'bad_request', 'The console cannot read this request.', 'Send JSON.');
  }
  const errors: FieldErrors[number][] = [];
  const request = readObject(fieldsOf(operation), given, '', errors);
  if (errors.length > 0) throw refuseFields(errors);
  return request;
}

function readObject(
  fields: readonly OperationField[],
  given: Readonly<Record<string, unknown>>,
  path: string,
  errors: FieldErrors[number][],
): Record<string, unknown> {
  const unknown = Object.keys(given).filter((name) => !fields.some((field) => field.name === name));
  errors.push(
    ...unknown.map((name) => ({
      field: path + name,
      message: 'is not a field of this operation',
    })),
  );
  return Object.fromEntries(
    fields.flatMap((field) => {
      const at = path + field.name;
      const value = isGiven(given[field.name])
        ? readValue(field, given[field.name], at, errors)
        : undefined;
      if (value !== undefined) return [[field.name, value]];
      const isSaid = errors.some((error) => error.field.startsWith(at));
      if (field.isRequired && !isSaid) errors.push({ field: at, message: 'is missing' });
      return [];
    }),
  );
}

const WHOLE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,15}(\.\d{1,15})?$/;

function readValue(
  field: OperationField,
  value: unknown,
  at: string,
  errors: FieldErrors[number][],
): unknown {
  const refuse = (message: string): undefined => void errors.push({ field: at, message });
  if (field.kind === 'rows') {
    if (!Array.isArray(value)) return refuse('must be a list');
    const rows: readonly unknown[] = value;
    return rows.flatMap((row, index) => {
      if (!isGiven(row)) return [];
      const rowAt = `${at}.${index}`;
      if (isObject(row)) return [readObject(field.fields, row, `${rowAt}.`, errors)];
      errors.push({ field: rowAt, message: 'must be an object' });
      return [];
    });
  }
  if (field.kind === 'names') {
    const names: unknown = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      return refuse('must be a list of names');
    return names.map((name) => name.trim()).filter((name) => name !== '');
  }
  if (typeof value !== 'string') return refuse('must be a text; give it once');
  const text = value.trim();
  if (field.kind === 'integer') {
    return WHOLE.test(text) ? Number(text) : refuse('must be a whole number such as 1001');
  }
  if (field.kind === 'number') {
    return DECIMAL.test(text) ? Number(text) : refuse('must be a decimal such as 12.34');
  }
  return text;
}

/** Whether something was filled in; of a list, whether there is anything in it. */
function isGiven(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.some(isGiven);
  return isObject(value) ? Object.values(value).some(isGiven) : (value ?? undefined) !== undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
