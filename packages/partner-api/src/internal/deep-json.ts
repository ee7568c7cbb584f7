/**
 * JSON of any depth. The engine parses that by itself, but its reviver and its writer call themselves
 * for each level, and some thousands of them are too many. These go by a list of their own: they are
 * slow, and only for what the engine gives up.
 */
import { needsSource, rememberSource } from '../decimal.js';

type Fields = Record<string, unknown>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER_LETTERS = new Set('0123456789+-.eE');

/** Reads JSON that `JSON.parse` takes, and remembers the text of long numbers. */
export function parseDeepJson(text: string): object {
  // Long numbers travel through the parser as texts that no provider can guess.
  const mark = `${crypto.randomUUID()} `;
  const root = JSON.parse(markLongNumbers(text, mark)) as object;
  const open: object[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const key of Object.keys(holder)) {
      const value = (holder as Fields)[key];
      if (typeof value === 'object' && value !== null) open.push(value);
      if (typeof value !== 'string' || !value.startsWith(mark)) continue;
      const source = value.slice(mark.length);
      (holder as Fields)[key] = Number(source);
      rememberSource(holder, key, source);
    }
  }
  return root;
}

function markLongNumbers(text: string, mark: string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length;) {
    if (text.charCodeAt(at) === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    const start = at;
    while (NUMBER_LETTERS.has(text.charAt(at))) at += 1;
    // `true` and `false` have an e; they are not long.
    const number = text.slice(start, at);
    if (needsSource(number) && /^-?\d/.test(number)) {
      pieces.push(text.slice(kept, start), JSON.stringify(mark + number));
      kept = at;
    }
    if (at === start) at += 1;
  }
  return pieces.join('') + text.slice(kept);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
}

/** An object or a list that is being written. */
interface OpenPart {
  readonly holder: object;
  readonly keys: readonly string[];
  readonly isList: boolean;
  at: number;
  isEmpty: boolean;
}

/** Writes what `JSON.stringify` would, on one line; numbers as `textOf` says. */
export function writeDeepJson(
  root: object,
  textOf: (holder: object, key: string, number: number) => string,
): string {
  const pieces: string[] = [];
  const holders = new Set<object>();
  const open: OpenPart[] = [];
  const begin = (holder: object): void => {
    if (holders.has(holder)) throw new TypeError('A value that holds itself is no JSON.');
    holders.add(holder);
    const isList = Array.isArray(holder);
    // Not `Object.keys` of a list: a hole in it is written, too.
    const keys = isList ? Array.from(holder, (_, at) => String(at)) : Object.keys(holder);
    open.push({ holder, keys, isList, at: 0, isEmpty: true });
    pieces.push(isList ? '[' : '{');
  };
  begin(root);
  for (let part = open.at(-1); part !== undefined; part = open.at(-1)) {
    const { holder, isList, keys } = part;
    const key = keys[part.at];
    part.at += 1;
    if (key === undefined) {
      pieces.push(isList ? ']' : '}');
      holders.delete(holder);
      open.pop();
      continue;
    }
    const value = valueOf(holder, key);
    const isInner = typeof value === 'object' && value !== null;
    const text = typeof value === 'number' ? textOf(holder, key, value) : leafText(value, isInner);
    if (text === undefined && !isList) continue;
    pieces.push(part.isEmpty ? '' : ',', isList ? '' : `${JSON.stringify(key)}:`);
    part.isEmpty = false;
    if (isInner) begin(value);
    else pieces.push(text ?? 'null');
  }
  return pieces.join('');
}

/** `undefined` for what JSON leaves out. */
function leafText(value: unknown, isInner: boolean): string | undefined {
  return isInner ? '' : JSON.stringify(value);
}

function valueOf(holder: object, key: string): unknown {
  const value = (holder as Fields)[key];
  const { toJSON } = Object(value) as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
}
