/** A Content Security Policy: the sources of each directive, by its name. */
export type Directives = ReadonlyMap<string, readonly string[]>;

/** Reads one policy as browsers do: the first directive of a name counts. */
export function parsePolicy(text: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>();
  for (const part of text.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/);
    const key = name?.toLowerCase() ?? '';
    if (key !== '' && !directives.has(key)) directives.set(key, sources);
  }
  return directives;
}

export function writePolicy(directives: Directives): string {
  return [...directives].map(([name, sources]) => [name, ...sources].join(' ')).join('; ');
}

/** The directives that decide when one is not there, nearest first. */
const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  'script-src': ['default-src'],
  'script-src-elem': ['script-src', 'default-src'],
  'connect-src': ['default-src'],
  'frame-src': ['child-src', 'default-src'],
};

/** The sources that decide about a directive, its own or a fallback's; undefined: all are allowed. */
export function effectiveSources(
  directives: Directives,
  name: string,
): readonly string[] | undefined {
  const deciding = [name, ...(FALLBACKS[name] ?? [])].find((each) => directives.has(each));
  return deciding === undefined ? undefined : directives.get(deciding);
}

/** Allows sources beside those that a policy allows already; a directive that is open stays open. */
export function allow(
  directives: Map<string, readonly string[]>,
  name: string,
  sources: readonly string[],
): void {
  const allowed = effectiveSources(directives, name);
  if (allowed === undefined || sources.length === 0) return;
  const kept = allowed.filter((source) => source.toLowerCase() !== "'none'");
  directives.set(name, [...new Set([...kept, ...sources])]);
}
