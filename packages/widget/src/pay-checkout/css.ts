import { unsafeCSS, type CSSResult } from 'lit';

/**
 * For styles without expressions: Lit's own tag brings what it says of wrong ones. In a file of its own,
 * because no CSS is minified next to Lit's function.
 */
export function css([text]: TemplateStringsArray): CSSResult {
  return unsafeCSS(text);
}
