/**
 * Which session server a tag uses, and the nonce that its scripts get.
 *
 * Only code names servers: this script's own address, `data-server` of its classic tag, `configure()`, or
 * the tag's `server` property. Markup may come from someone else, so no tag is looked up in the page, and
 * the `server` attribute only chooses one of these.
 */
import type { ReactiveElement } from 'lit';

// Not `document.currentScript`: an image with that name would replace it.
const script =
  globalThis.Document &&
  (Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null);

/** The nonce of this script's own tag, for the scripts that it loads. */
export const scriptNonce: string | undefined = script?.nonce || undefined;

let configured: string | undefined;

/**
 * Names the session server of every tag: for a script that is bundled, or does not come from the server.
 * Call it where you import the element; a tag that is in a shadow root by then may start without it.
 */
export function configure({ server }: { readonly server: string }): void {
  configured = server;
  const tags = globalThis.document?.querySelectorAll<ReactiveElement>('pay-checkout') ?? [];
  for (const tag of tags) tag.requestUpdate();
}

/** The origin of the session server that a tag with this property and attribute uses; '' if there is none. */
export function serverOrigin(
  property: string | null | undefined,
  attribute: string | null | undefined,
): string {
  // Not `src`: a later `<base>` would change it.
  const own = script ? script.getAttribute('src') : import.meta.url;
  const named = [property, configured, script?.getAttribute('data-server')].filter(Boolean);
  const allowed = [...named.map((one) => originOf(one)), originOf(own, location.href)];
  const wanted = attribute ? originOf(attribute) : allowed[0];
  return (allowed.includes(wanted) && wanted) || '';
}

/**
 * The http(s) origin of an address; undefined if it has none. Without `base` the address has to be an
 * origin: a path or a query is refused.
 */
function originOf(address: string | null | undefined, base?: string): string | undefined {
  try {
    const { origin, href } = new URL(address || 'none:', base);
    return origin.startsWith('http') && (base || href === `${origin}/`) ? origin : undefined;
  } catch {
    return undefined;
  }
}
