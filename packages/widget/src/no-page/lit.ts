/**
 * Stands in for Lit where there is no page: in workers and edge runtimes, the package can then be
 * imported, and its types and errors used, while the element is never made. `tsdown.config.ts` puts
 * it in Lit's place, and its `customElements` in place of the one that is missing there.
 */
export class LitElement {
  readonly isConnected = false;
}

/** Has every name, so that nothing is defined. */
export const customElements = { get: (): true => true };

export const nothing = undefined;

export function css(): undefined {
  return undefined;
}

export const html = css;
