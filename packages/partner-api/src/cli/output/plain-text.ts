/**
 * Text of others as it may stand on a terminal: control characters and marks that turn the reading
 * direction are shown as `�`, because they could move the cursor or fake a line.
 */
export function toPlainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�');
}

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += ZERO_WIDTH.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
}

/** Fills a text up with spaces to a width. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? spaces + text : text + spaces;
}
