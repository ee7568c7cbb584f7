let collected: unknown[] | undefined;

// The test framework fails a test for such an error. What is added first hears of it first.
addEventListener(
  'error',
  (event) => {
    if (!collected) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    collected.push(event.error);
  },
  { capture: true },
);

/** What the page's error log receives, until `restore`; the test does not fail for it. */
export function collectReportedErrors(): { errors: unknown[]; restore: () => void } {
  const errors: unknown[] = (collected = []);
  return { errors, restore: () => (collected = undefined) };
}
