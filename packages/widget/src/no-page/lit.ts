/**
 * Replaces Lit where there is no page. In workers and edge runtimes the package can then be imported, and
 * its types and errors used, while the element is never created. `tsdown.config.ts` replaces Lit and the
 * missing `customElements` with these.
 */
export class LitElement {
  readonly isConnected = false;
}

/** Every name is taken, so that nothing is defined. */
export const customElements = { get: (): true => true };

export const nothing = undefined;

export function html(): undefined {
  return undefined;
}

export const css = html;
