/** Fields of an error body that may say why; its shape is not shown (spec 7). */
const REASONS = [
  'title',
  'message',
  'error',
  'error_description',
  'detail',
  'details',
  'reason',
  'errors',
];
/** Fields that name what a reason is about. */
const SUBJECTS = ['field', 'param', 'property'];

const MAX_LETTERS = 200;
const MAX_BODY_LETTERS = 65_536;
const MAX_DEPTH = 4;

/**
 * Why the provider refused, in its own words: at most 200 characters of an error body, with every
 * value that we sent masked. `undefined` for a web page and where nothing reads as a reason.
 */
export function providerMessageIn(body: string, sent: readonly unknown[]): string | undefined {
  if (body.length > MAX_BODY_LETTERS || body.trimStart().startsWith('<')) return undefined;
  const { values, names } = partsOf(sent);
  const reasons = reasonsIn(parse(body), (text) => mask(tidy(text), values), names);
  const text = reasons.join('; ').trim();
  if (text === '') return undefined;
  return text.length <= MAX_LETTERS ? text : `${text.slice(0, MAX_LETTERS - 1).toWellFormed()}…`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

function reasonsIn(
  value: unknown,
  clean: (text: string) => string,
  names: ReadonlySet<string>,
  depth = 0,
): string[] {
  if (typeof value === 'string') return value === '' ? [] : [clean(value)];
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return [];
  const within = (inner: unknown): string[] => reasonsIn(inner, clean, names, depth + 1);
  if (Array.isArray(value)) return value.flatMap(within);
  const fields = new Map<string, unknown>(Object.entries(value));
  const reasons = REASONS.flatMap((name) => within(fields.get(name)));
  // Only a name of a field that we sent: any other text may be data.
  const subject = SUBJECTS.map((name) => fields.get(name)).find(
    (name) => typeof name === 'string' && names.has(name),
  ) as string | undefined;
  return subject === undefined ? reasons : [`${subject}: ${reasons.join(', ')}`];
}

function tidy(text: string): string {
  return text
    .normalize()
    .replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ')
    .trim();
}

/** Every text and number in what was sent, the longest first, and the names of its fields. */
function partsOf(sent: readonly unknown[]): { values: string[]; names: ReadonlySet<string> } {
  const values = new Set<string>();
  const names = new Set<string>();
  const open = [...sent];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' || typeof value === 'number') values.add(tidy(String(value)));
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    open.push(...(Object.values(value) as unknown[]));
  }
  values.delete('');
  return { values: [...values].sort((a, b) => b.length - a.length), names };
}

/** A shorter value is masked only where it stands alone: `1` is in many words. */
const MIN_LETTERS_INSIDE = 4;

function mask(text: string, values: readonly string[]): string {
  return values.reduce((rest, value) => {
    const pattern = patternOf(value);
    const whole =
      value.length < MIN_LETTERS_INSIDE
        ? `(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`
        : pattern;
    return rest.replace(new RegExp(whole, 'giu'), '[sent]');
  }, text);
}

/** A value as it stands, in upper case too (`ß` is `SS` there); a number however it is written. */
function patternOf(value: string): string {
  const literals = [value, value.toUpperCase()].map((text) =>
    text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  const [, whole, decimals = ''] = /^-?0*(\d+)(?:\.(\d*?)0*)?$/.exec(value) ?? [];
  if (whole === undefined) return literals.join('|');
  // `1234.5` is `1,234.50` too, but no part of a longer number.
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, "[,.' ]?");
  const fraction = decimals === '' ? '(?:[.,]0+)?' : `[.,]${decimals}0*`;
  return [`(?<!\\d|\\d[.,])0*${grouped}${fraction}(?![.,]?\\d)`, ...literals].join('|');
}
