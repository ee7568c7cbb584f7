/** Where the payment happens, as the tag asks for it. */
export type Mode = 'auto' | Presentation;

/** Where the payment happens, as it was chosen. */
export type Presentation = 'inline' | 'overlay' | 'popup' | 'redirect';

/** Apps that show pages without windows of their own. */
const WEB_VIEW = /; wv\)|FBA[NV]|Instagram|Line\/|(iPhone|iPad)(?!.*Safari)/;

/**
 * Chooses where to pay. `auto` stays on the page unless the SDK navigates: then a top-level page is
 * left, and a framed page opens a window, because the provider's page may refuse to be framed.
 * `overlay` does the same with such an SDK. In a frame of another site's page, `redirect` opens a window
 * too, because the hosted page refuses to be framed there. An unknown mode is `auto`.
 *
 * @param navigates whether the SDK leaves the page
 * @param isFramed whether the page is in a frame of another page
 * @param isForeign whether that is, or is in, a page of another origin
 */
export function choosePresentation(
  mode: string | null | undefined,
  navigates: boolean | undefined,
  isFramed = parent !== window,
  isForeign = isInForeignFrame(),
): Presentation {
  if (mode === 'inline' || (mode === 'redirect' && !isForeign)) return mode;
  if (mode === 'overlay' && !navigates) return mode;
  if (mode === 'popup' || mode === 'redirect' || (navigates && isFramed)) {
    return canUseWindows() ? 'popup' : 'redirect';
  }
  return navigates ? 'redirect' : 'inline';
}

/** Whether the top page is of another origin: only the merchant's own pages may frame the hosted page. */
export function isInForeignFrame(): boolean {
  try {
    return !top?.document;
  } catch {
    return true;
  }
}

/** Whether the form is on another page: the server's hosted one. */
export function isOnHostedPage(mode: string | null | undefined): boolean {
  return mode === 'popup' || mode === 'redirect';
}

/** Whether a window that is opened here could exchange messages with this page. */
function canUseWindows(): boolean {
  return !globalThis.crossOriginIsolated && !WEB_VIEW.test(navigator.userAgent);
}
