import type { Page } from 'playwright-core';

declare global {
  interface Window {
    complain?: (complaint: string) => void;
    isWatched?: () => void;
  }
}

const NEVER_OPENED = 'no such page was opened';

/**
 * What the browser complains of on the pages of this tab whose addresses begin with `address`:
 * violations of a policy and uncaught errors, also of pages that have been left since.
 */
export async function collectComplaints(page: Page, address: string): Promise<readonly string[]> {
  const complaints = [NEVER_OPENED];
  await page.exposeFunction('isWatched', () => {
    if (complaints[0] === NEVER_OPENED) complaints.shift();
  });
  await page.exposeFunction('complain', (complaint: string) => complaints.push(complaint));
  await page.addInitScript((watched) => {
    if (!location.href.startsWith(watched)) return;
    const complain = (complaint: string): void => window.complain?.(complaint);
    document.addEventListener('securitypolicyviolation', (event) => {
      // Browsers request an icon automatically.
      if (event.blockedURI.endsWith('/favicon.ico')) return;
      complain(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
    });
    addEventListener('error', ({ message }) => {
      complain(message);
    });
    addEventListener('unhandledrejection', ({ reason }) => {
      complain(String(reason));
    });
    window.isWatched?.();
  }, address);
  return complaints;
}

/** The texts of all answers that a tab gets, as they come. */
export function collectAnswers(page: Page): readonly Promise<string>[] {
  const answers: Promise<string>[] = [];
  // Only of what has come: the text of an answer that a new page cuts short may never arrive.
  page.on('requestfinished', (request) => {
    const text = request.response().then((response) => response?.text());
    answers.push(text.then((said) => said ?? '').catch(() => ''));
  });
  return answers;
}
