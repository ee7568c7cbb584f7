/** Whether `PAY_BROWSER=firefox` asks for the Firefox of this machine, instead of a Chromium. */
export const isFirefox = process.env['PAY_BROWSER'] === 'firefox';

/** Longer than what a shopper does takes in this browser, and shorter than a test may take. */
export const PATIENCE_MS = isFirefox ? 30_000 : 12_000;
