/** Whether `PAY_BROWSER=firefox` asks for the Firefox of this machine, instead of a Chromium. */
export const isFirefox = process.env['PAY_BROWSER'] === 'firefox';

/** Milliseconds that a page of a Chromium waits longer for each answer, by `PAY_LATENCY_MS`. */
export const LATENCY_MS = isFirefox ? 0 : Number(process.env['PAY_LATENCY_MS'] ?? 0);

/** Longer than what a shopper does takes on a busy machine, in any browser, and shorter than a test may take. */
export const PATIENCE_MS = 45_000;

/** How long a test may take there: it ends what hangs, and no more. */
export const TEST_TIMEOUT_MS = 180_000;
