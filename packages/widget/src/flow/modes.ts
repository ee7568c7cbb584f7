/** Where the payment happens, as the tag asks for it. */
export type Mode = 'auto' | Way;

/** Where the payment happens, as it was chosen. */
export type Way = 'inline' | 'overlay' | 'popup' | 'redirect';

/** Apps that show pages without windows of their own. */
const WEB_VIEW = /; wv\)|FBA[NV]|Instagram|Line\/|(iPhone|iPad)(?!.*Safari)/;

/**
 * The way to pay. `auto` stays on the page, unless the SDK would leave it: then the page is left
 * from outside a frame, and a window is opened from inside one, where the provider's page may not
 * be shown. So does `overlay` with such an SDK. An unknown mode is `auto`.
 *
 * @param navigates whether the SDK leaves the page by itself
 * @param isFramed whether the page is shown in a frame of another one
 */
export function chooseWay(
  mode: string | null | undefined,
  navigates: boolean | undefined,
  isFramed = parent !== window,
): Way {
  if (mode === 'inline' || mode === 'redirect') return mode;
  if (mode === 'overlay' && !navigates) return mode;
  if (mode === 'popup' || (navigates && isFramed)) return isAlone() ? 'redirect' : 'popup';
  return navigates ? 'redirect' : 'inline';
}

/** Whether the form is in another page: the server's hosted one. */
export function isElsewhere(mode: string | null | undefined): boolean {
  return mode === 'popup' || mode === 'redirect';
}

/** Whether a window that is opened here could tell nothing and be told nothing. */
function isAlone(): boolean {
  return crossOriginIsolated || WEB_VIEW.test(navigator.userAgent);
}
