/** What the pages share. Posts to the page around the frame, if there is one. */

const { session = '', parentOrigin } = document.body.dataset;

/**
 * @param {'ready' | 'submitted' | 'declined' | 'failed' | 'resized'} type
 * @param {Record<string, unknown>} [details]
 */
export function postToParent(type, details = {}) {
  if (parentOrigin === undefined || window.parent === window) return;
  // The browser drops the message when the parent is not of exactly this origin.
  window.parent.postMessage({ type: `pay-sandbox:${type}`, session, ...details }, parentOrigin);
}

/** Keeps the frame as tall as its contents. */
export function followHeight() {
  const report = () => postToParent('resized', { height: document.body.scrollHeight });
  new ResizeObserver(report).observe(document.body);
  report();
}

/**
 * Sends JSON to the sandbox and returns its answer.
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<{ status: number, answer: any }>}
 */
export async function postJson(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
}

/** Makes every button with `data-leave` go to its address, in this frame or page. */
export function wireLeaving() {
  for (const button of document.querySelectorAll('button[data-leave]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.addEventListener('click', () => {
      const { leave: url = '', report } = button.dataset;
      if (report !== undefined) navigator.sendBeacon(report);
      leave(url);
    });
    button.disabled = false;
  }
}

/** @param {string} url */
function leave(url) {
  // In a frame, add nothing to the history that it shares with the page around it.
  if (parentOrigin === undefined) location.assign(url);
  else location.replace(url);
}
