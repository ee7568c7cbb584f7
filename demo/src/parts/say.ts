/** A short word at the foot of the page, also for those who do not see it. */

const VISIBLE_MS = 4000;

let timer: ReturnType<typeof setTimeout> | undefined;
const toast = document.createElement('div');
toast.className = 'toast';
toast.setAttribute('role', 'status');
document.body.append(toast);

export function say(words: string): void {
  const link = document.createElement('a');
  link.href = '/basket';
  link.textContent = 'See the basket';
  toast.replaceChildren(words, ' ', link);
  toast.classList.add('is-shown');
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.classList.remove('is-shown');
  }, VISIBLE_MS);
}
