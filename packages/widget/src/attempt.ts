/**
 * What `run` returns; undefined when it throws. For what no payment depends on: a page, or a test
 * environment, may lack it or have replaced it.
 */
export function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Tells the page's developers of an error of their code, or of the SDK. */
export function reportCause(error: unknown): void {
  attempt(() => reportError(error));
}
