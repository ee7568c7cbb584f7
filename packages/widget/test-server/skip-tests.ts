/**
 * What only a Chromium gives: to a page a collection of garbage, to a driver what the person prefers, the
 * accessibility tree and forced colours.
 */
export const NEEDS_CHROMIUM = /\b(gc|emulateMedia|inForcedColors|accessibilityTree|isLive)\(/;

interface File {
  readonly path: string;
  readonly body: unknown;
}

interface Skipped {
  /** Files, by their source: their hooks do not run either. */
  readonly file?: RegExp;
  /** Tests, by their source. */
  readonly body: RegExp;
  readonly title: RegExp;
}

/** A plugin that skips the tests that match. The counts include them as skipped. */
export function skipTests({ file, body: source, title }: Skipped): {
  name: string;
  transform: (file: File) => string | undefined;
} {
  return {
    name: 'skip-tests',
    transform({ path, body }) {
      if (!path.endsWith('.test.ts')) return undefined;
      if (file?.test(String(body))) return `globalThis.describe = describe.skip;\n${String(body)}`;
      return `beforeEach(function () {
        const { body, title } = this.currentTest;
        if (${String(source)}.test(body) || ${String(title)}.test(title)) this.skip();
      });
      ${String(body)}`;
    },
  };
}
