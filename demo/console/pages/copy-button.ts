/** A button that copies a text, and says so. */
import { html, type TemplateResult } from 'lit';

export function renderCopyButton(text: string, what: string): TemplateResult {
  const copy = async ({ currentTarget: button }: Event): Promise<void> => {
    if (!(button instanceof HTMLElement)) return;
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Select it and copy it by hand';
  };
  return html`<button
    type="button"
    class="outline"
    aria-label="Copy ${what}"
    aria-live="polite"
    @click=${copy}
  >
    Copy
  </button>`;
}
