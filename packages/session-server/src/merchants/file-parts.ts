import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { ConfigError, describeFileError, type FieldError } from '../errors.js';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are each shop's own: neither shared by `defaults` nor taken over from another entry. */
export const OWN_FIELDS = [
  ...['id', 'name', 'brand', 'disabled', 'providerMerchantId', 'origins', 'returnUrl'],
  ...['orderLookup', 'events', 'apiKeyHash', 'orderTokenSecret', 'signingSecret'],
];

/** A merchants file, or one of a folder of them. */
export interface Part {
  /** Its name in the folder; undefined for a file of its own. */
  readonly name?: string | undefined;
  readonly text: string;
}

/** The files of a merchants file: itself, or the `*.json` of a folder by their names. */
export function partPaths(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return namesIn(path).map((name) => join(path, name));
}

/** Not those that begin with a dot: a ConfigMap is mounted with a folder of them. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .toSorted();
}

/** @throws {ConfigError} when it cannot be read */
export function readParts(path: string): readonly Part[] {
  const source = sourceOf(path);
  try {
    if (statSync(path).isDirectory()) {
      const parts = namesIn(path).map((name) => ({ name, text: readText(join(path, name)) }));
      if (parts.length > 0) return parts;
      throw new ConfigError(source, ['it is a folder without a *.json file']);
    }
    return [{ text: readText(path) }];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(source, [describeFileError(error)]);
  }
}

export function sourceOf(path: string): string {
  return `merchants file ${path}`;
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
}

/** A part as it was read. */
interface ReadPart extends Part {
  readonly json: Fields;
}

/** Where an entry stands. */
interface Place {
  readonly part: ReadPart;
  readonly index: number;
  readonly entry: unknown;
}

/** The parts as one file: each entry with the defaults that it does not have itself. */
export class CombinedFile {
  readonly #parts: readonly ReadPart[];
  readonly #places: readonly Place[];
  readonly #defaults: Fields;
  readonly #maps = new Map<Part | undefined, TextMap>();
  /** What one file would say, without `defaults`. */
  readonly file: unknown;
  /** What is wrong between the parts, and in `defaults`. */
  readonly mistakes: readonly string[];

  /** @throws {ConfigError} when a part is not JSON */
  constructor(parts: readonly Part[], path: string) {
    const read = parts.map((part) => parsePart(part, path));
    // Anything else is one file with a mistake, which the schema names.
    this.#parts = read.flatMap(({ json, ...part }) => (isFields(json) ? [{ ...part, json }] : []));
    if (this.#parts.length < read.length) {
      this.#places = [];
      this.#defaults = {};
      this.mistakes = [];
      this.file = read.find(({ json }) => !isFields(json))?.json;
      return;
    }
    const mistakes: string[] = [];
    const collect = (name: 'accounts' | 'defaults'): Fields => {
      const found: Record<string, unknown> = {};
      for (const part of this.#parts) {
        const fields = part.json[name] ?? {};
        if (!isFields(fields)) {
          mistakes.push(`${this.#describe(part, name)}: expected an object`);
          continue;
        }
        for (const [field, value] of Object.entries(fields)) {
          const at = `${name}.${field}`;
          if (Object.hasOwn(found, field)) {
            mistakes.push(`${this.#describe(part, at)}: expected in one file; another has it, too`);
          } else if (name === 'defaults' && OWN_FIELDS.includes(field)) {
            mistakes.push(`${this.#describe(part, at)}: is each merchant’s own; leave it out`);
          } else found[field] = value;
        }
      }
      return found;
    };
    const accounts = collect('accounts');
    const defaults = collect('defaults');
    this.#defaults = defaults;
    this.#places = this.#parts.flatMap((part) => {
      const entries = part.json['merchants'];
      const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
      return list.map((entry, index) => ({ part, index, entry }));
    });
    const unreadable = this.#parts.find(
      ({ json }) => json['merchants'] !== undefined && !Array.isArray(json['merchants']),
    );
    this.mistakes = mistakes;
    this.file = {
      ...Object.assign({}, ...this.#parts.map(({ json }) => withoutDefaults(json))),
      ...(Object.keys(accounts).length > 0 && { accounts }),
      merchants:
        unreadable?.json['merchants'] ??
        this.#places.map(({ entry }) => withDefaults(entry, defaults)),
    };
  }

  /** The same mistake in several entries is one line, with where it is first and how often it is there. */
  describeMistakes(mistakes: readonly FieldError[]): string[] {
    const placed = mistakes.map(({ field, message }) => ({ ...this.#find(field), message }));
    const groups = Map.groupBy(placed, ({ field, message }) =>
      [field.replace(/^merchants\.\d+\./, ''), message].join('\n'),
    );
    return [...groups.values()].flatMap((same) => {
      const [first] = same;
      if (!first) return [];
      const where = this.#describe(first.part, first.field);
      const others = first.field.startsWith('defaults.') ? 0 : same.length - 1;
      if (others === 0) return [`${where}: ${first.message}`];
      const more = `${String(others)} other ${others === 1 ? 'entry' : 'entries'}`;
      return [`${where}, and ${more}: ${first.message}`];
    });
  }

  /** Where a field of {@link file} comes from. */
  #find(field: string): { readonly part: Part | undefined; readonly field: string } {
    const [top = '', second = '', ...rest] = field.split('.');
    const place = top === 'merchants' ? this.#places[Number(second)] : undefined;
    if (place) {
      const [name = ''] = rest;
      const isDefault =
        isFields(place.entry) &&
        !Object.hasOwn(place.entry, name) &&
        Object.hasOwn(this.#defaults, name);
      if (!isDefault) {
        const local = ['merchants', String(place.index), ...rest].join('.');
        return { part: place.part, field: local };
      }
      return { part: this.#having('defaults', name), field: ['defaults', ...rest].join('.') };
    }
    return { part: this.#having(top, second), field };
  }

  /** The part that has a field, or the first one. */
  #having(name: string, inner: string): Part | undefined {
    const has = (value: unknown, key: string): boolean =>
      isFields(value) && Object.hasOwn(value, key);
    return (
      this.#parts.find(({ json }) => has(json[name], inner)) ??
      this.#parts.find(({ json }) => has(json, name)) ??
      this.#parts[0]
    );
  }

  /** A field with its file, in a folder, its line and its column. */
  #describe(part: Part | undefined, field: string): string {
    const of = part?.name === undefined ? '' : `${part.name}: `;
    return `${of}${field} (${this.#locate(part, field)})`;
  }

  /** Where a field is; of one that is missing, where the object is that should have it. */
  #locate(part: Part | undefined, field: string): string {
    const map = this.#maps.get(part) ?? new TextMap(part?.text ?? '');
    this.#maps.set(part, map);
    const path = field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    for (;;) {
      const node = map.root && findNodeAtLocation(map.root, path);
      if (!map.root || node) return map.describe(node?.offset ?? 0);
      path.pop();
    }
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutDefaults({ defaults: _, ...others }: Fields): Fields {
  return others;
}

function withDefaults(entry: unknown, defaults: Fields): unknown {
  return isFields(entry) ? { ...defaults, ...entry } : entry;
}

function parsePart(part: Part, path: string): Part & { readonly json: unknown } {
  const { name, text } = part;
  try {
    return { ...part, json: JSON.parse(text) as unknown };
  } catch {
    const found: ParseError[] = [];
    parseTree(text, found, { disallowComments: true });
    const [first] = found;
    const what = (first && MISTAKES_OF_JSON[printParseErrorCode(first.error)]) ?? 'a mistake';
    throw new ConfigError(sourceOf(path), [
      `${name ?? 'it'} is not JSON: ${what} at ${new TextMap(text).describe(first?.offset ?? text.length)}`,
    ]);
  }
}

/** By the names that the parser gives them. Its own words may quote a secret. */
const MISTAKES_OF_JSON: Readonly<Record<string, string>> = {
  InvalidSymbol: 'text outside double quotes',
  PropertyNameExpected: 'no name in double quotes after a comma or brace',
  ValueExpected: 'no value',
  ColonExpected: 'no colon after a name',
  CommaExpected: 'no comma',
  CloseBraceExpected: 'no closing brace',
  CloseBracketExpected: 'no closing bracket',
  InvalidCommentToken: 'a comment',
  UnexpectedEndOfString: 'a text without its closing quote',
  InvalidEscapeCharacter: 'a text with a wrong escape',
  InvalidCharacter: 'a text with a control character',
};

/** Where things are in a text: made once, however many are asked for. */
class TextMap {
  readonly root: Node | undefined;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.root = parseTree(text);
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  describe(offset: number): string {
    const line = this.#lineStarts.findLastIndex((start) => start <= offset);
    const column = offset - (this.#lineStarts[line] ?? 0) + 1;
    return `line ${String(line + 1)}, column ${String(column)}`;
  }
}
