/**
 * What only a Chromium gives: to a page a collection of garbage, to a driver what the person prefers, the
 * accessibility tree and forced colours.
 */
export const NEEDS_CHROMIUM = /\b(gc|emulateMedia|inForcedColors|accessibilityTree|isLive)\(/;

interface File {
  readonly path: string;
  readonly body: unknown;
}

/** A plugin that skips the tests whose source or title matches. The counts include them as skipped. */
export function skipTests({ body: source, title }: { body: RegExp; title: RegExp }): {
  name: string;
  transform: (file: File) => string | undefined;
} {
  return {
    name: 'skip-tests',
    transform({ path, body }) {
      if (!path.endsWith('.test.ts')) return undefined;
      return `beforeEach(function () {
        const { body, title } = this.currentTest;
        if (${String(source)}.test(body) || ${String(title)}.test(title)) this.skip();
      });
      ${String(body)}`;
    },
  };
}
