/** What stands above every page. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo } from './address.js';

/** The first stop of the keyboard; `main` can take the focus. */
export function renderSkipLink(): TemplateResult {
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return html`<a class="skip" href="#main" @click=${skip}>Skip to the content</a>`;
}

/** A page with a place in the navigation. */
export interface NavigationEntry {
  /** Such as `orders/:merchant/:order`. */
  readonly path: string;
  /** Its name there; without one it has no place. */
  readonly nav?: string;
  /** Where its place leads to. Default: its path. */
  readonly navPath?: string;
}

/** @param current the path of the page that is shown, or of the one that it belongs to */
export function renderNavigation(
  label: string,
  pages: readonly NavigationEntry[],
  current: string | undefined,
): TemplateResult {
  return html`<nav aria-label=${label}>
    <ul>
      ${pages
        .filter(({ nav }) => nav !== undefined)
        .map(
          ({ path, nav, navPath = path }) =>
            html`<li>
              <a href=${linkTo(navPath)} aria-current=${path === current ? 'page' : nothing}
                >${nav}</a
              >
            </li>`,
        )}
    </ul>
  </nav>`;
}
