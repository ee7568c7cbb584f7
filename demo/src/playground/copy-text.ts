/** Copies text, and says so; where a page may not, the text is selected for the person to copy. */

const VISIBLE_MS = 3000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** `shown` is the element that shows the text, or is to show it when only a person can copy. */
export async function copyText(text: string, shown: HTMLElement, says: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(says, 'Copied.');
  } catch {
    shown.textContent = text;
    getSelection()?.selectAllChildren(shown);
    say(says, 'Press Ctrl+C, or Cmd+C, to copy what is selected.');
  }
}

function say(host: HTMLElement, words: string): void {
  host.textContent = words;
  host.classList.add('is-shown');
  clearTimeout(timer);
  timer = setTimeout(() => {
    host.classList.remove('is-shown');
  }, VISIBLE_MS);
}
