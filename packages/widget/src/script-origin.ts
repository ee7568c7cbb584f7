/**
 * Where this script came from: the default of the element's `server`, and the page's nonce.
 *
 * A classic script is named by `document.currentScript`; the single file loaded as a module is found
 * by its name, and the package that a bundler took in by `import.meta.url`.
 */
const page: Document | undefined = globalThis.document;
const current = page?.currentScript as HTMLScriptElement | null | undefined;
// An image named `currentScript` would replace it, and choose the server.
const script =
  current?.tagName === 'SCRIPT'
    ? current
    : page?.querySelector<HTMLScriptElement>('script[src*="/pay-checkout."]');

/** The nonce of the script's own tag, for the scripts that it loads. */
export const scriptNonce: string | undefined = script?.nonce || undefined;

/** Origin of the script, or of the page when the script has none of its own. */
export function scriptOrigin(): string {
  const { origin } = new URL(script?.src || import.meta.url || location.href, location.href);
  return origin === 'null' ? location.origin : origin;
}
