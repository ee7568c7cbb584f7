import * as z from 'zod';

import { CONTRACT } from './contract.js';

/** The part of JSON Schema that the contract uses. */
interface JsonSchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

const HEADER = `// Made from src/contract by \`pnpm generate\`; do not edit. It checks what zod would check.
import type { DriftSink } from '../http/drift.js';

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tellUnknown(value: Fields, known: ReadonlySet<string>, at: string, drift: DriftSink): void {
  for (const name of Object.keys(value)) if (!known.has(name)) drift.unknownField(at, name);
}
`;

/** The checks of all replies, as TypeScript. */
export function renderChecks(): string {
  const renderer = new CheckRenderer();
  for (const { check, reply } of Object.values(CONTRACT)) renderer.addRoot(check, reply);
  return `${HEADER}\n${renderer.text()}`;
}

const LEAVES: Readonly<Record<string, { test: (value: string) => string; words: string }>> = {
  string: { test: (value) => `typeof ${value} !== 'string'`, words: 'text' },
  number: { test: (value) => `!Number.isFinite(${value})`, words: 'number' },
  integer: { test: (value) => `!Number.isSafeInteger(${value})`, words: 'whole number' },
  boolean: { test: (value) => `typeof ${value} !== 'boolean'`, words: 'boolean' },
};

class CheckRenderer {
  readonly #functions: string[] = [];
  readonly #names = new Set<string>();
  #definitions: Readonly<Record<string, JsonSchema>> = {};

  text(): string {
    return this.#functions.join('\n');
  }

  addRoot(name: string, schema: z.ZodType): void {
    const json = z.toJSONSchema(schema) as JsonSchema;
    this.#definitions = json.$defs ?? {};
    this.#functions.push(
      `export function ${name}(body: unknown, drift: DriftSink): void {\n` +
        `${this.#check(json, 'body', `''`, name.replace('check', ''))}\n}\n`,
    );
  }

  /** Statements that check a value, which stands at a path (both are code). */
  #check(schema: JsonSchema, value: string, at: string, name: string): string {
    const { $ref } = schema;
    if ($ref !== undefined) {
      const target = $ref.replace('#/$defs/', '');
      return this.#check(this.#definitions[target] ?? {}, value, at, target);
    }
    if (schema.type === 'object') {
      return `check${this.#addObject(schema, name)}(${value}, ${at}, drift);`;
    }
    if (schema.type === 'array') {
      const inner = this.#check(schema.items ?? {}, 'item', 'place', `${name}Item`);
      return (
        `if (Array.isArray(${value})) { const place = ${pathOf(at, '[]')};` +
        ` for (const item of ${value} as unknown[]) { ${inner} } }` +
        ` else drift.unexpectedType(${at}, 'list', ${value});`
      );
    }
    const leaf = LEAVES[schema.type ?? ''];
    if (leaf === undefined) return '';
    return `if (${leaf.test(value)}) drift.unexpectedType(${at}, '${leaf.words}', ${value});`;
  }

  #addObject(schema: JsonSchema, name: string): string {
    const unique = `FieldsOf${name}`;
    if (this.#names.has(unique)) return unique;
    this.#names.add(unique);
    const body =
      schema.properties === undefined ? this.#mapBody(schema, name) : this.#fields(schema, name);
    this.#functions.push(
      `function check${unique}(value: unknown, at: string, drift: DriftSink): void {\n` +
        `if (!isObject(value)) return drift.unexpectedType(at, 'object', value);\n${body}}\n`,
    );
    return unique;
  }

  #mapBody({ additionalProperties }: JsonSchema, name: string): string {
    const of = typeof additionalProperties === 'object' ? additionalProperties : {};
    const inner = this.#check(of, 'item', 'place', `${name}Value`);
    return inner === ''
      ? ''
      : `const place = ${pathOf('at', '{}')};\n` +
          `for (const item of Object.values(value)) { ${inner} }\n`;
  }

  #fields({ properties = {}, required = [] }: JsonSchema, name: string): string {
    const set = `KNOWN_${name}`.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
    const known = Object.keys(properties).map((field) => `'${field}'`);
    this.#functions.push(`const ${set}: ReadonlySet<string> = new Set([${known.join(', ')}]);\n`);
    const lines = Object.entries(properties).map(([field, schema]) => {
      const inner = this.#check(schema, field, pathOf('at', field), name + upperFirst(field));
      const missing = required.includes(field)
        ? ` else drift.unexpectedType(${pathOf('at', field)}, '${wordsOf(schema)}', undefined);`
        : '';
      return (
        `const ${field} = value['${field}'];\n` +
        `if (${field} !== undefined) { known += 1; ${inner} }${missing}\n`
      );
    });
    return (
      `let known = 0;\n${lines.join('')}` +
      `if (Object.keys(value).length !== known) tellUnknown(value, ${set}, at, drift);\n`
    );
  }
}

function wordsOf({ type = '' }: JsonSchema): string {
  return LEAVES[type]?.words ?? (type === 'array' ? 'list' : 'object');
}

/** Code for the path of a part: evaluated only where something is wrong, or once an object. */
function pathOf(at: string, part: string): string {
  if (at === `''`) return `'${part}'`;
  if (at.startsWith(`'`)) return `'${at.slice(1, -1)}${joint(part)}${part}'`;
  const inside = at.startsWith('`') ? at.slice(1, -1) : `\${at}`;
  return `\`${inside}${joint(part)}${part}\``;
}

function joint(part: string): string {
  return part.startsWith('[') || part.startsWith('{') ? '' : '.';
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
