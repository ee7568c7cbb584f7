import { readFileSync, readdirSync } from 'node:fs';

/** One exchange as the specification spells it: what is sent, and the shape of what comes back. */
export interface GoldenFile {
  readonly name: string;
  readonly section: string;
  readonly operation: string;
  readonly request: {
    readonly method: string;
    /** Starts with the base address that it is relative to, for example `{base_url}`. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  readonly reply: unknown;
  /** Names of objects in the reply whose properties are not shown. */
  readonly open?: readonly string[];
  readonly variant?: 'full' | 'reduced';
  /** What the webhook endpoint receives. */
  readonly delivery?: unknown;
}

const FOLDER = new URL('./golden/', import.meta.url);

/** The exchanges of `golden/`, taken from the specification by hand. */
export const GOLDEN_FILES: readonly GoldenFile[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    name: name.slice(0, -'.json'.length),
    ...(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Omit<GoldenFile, 'name'>),
  }));

/** What a value looks like without its content: `{"id": "string", "rows": ["number"]}`. */
export function shapeOf(value: unknown, open: readonly string[] = []): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value))
    return [...new Set(value.map((item) => JSON.stringify(shapeOf(item, open))))].sort();
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, open.includes(name) ? 'open' : shapeOf(field, open)]),
  );
}
