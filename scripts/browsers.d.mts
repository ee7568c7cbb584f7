/** A Chromium and what it takes to start it. */
export interface Browser {
  readonly executablePath: string;
  /** Needed to start it on this machine; not a choice of the tests. */
  readonly args: string[];
  /** To be set next to the existing environment. */
  readonly env: Record<string, string>;
  readonly source: 'CHROME_PATH' | 'installed' | 'bundled';
}

/** Finds a Chromium, and unpacks the one from npm when none is installed. */
export function findBrowser(): Promise<Browser>;

/** A Chromium that is installed in one of the usual places, whatever `PAY_BROWSER` says. */
export function findInstalledBrowser(): Browser | undefined;

/** The same as environment variables: `CHROME_PATH`, `PAY_BROWSER_ARGS` and what it needs. */
export function browserEnvironment(browser: Browser): Record<string, string>;

/** The path of a Firefox: `FIREFOX_PATH`, otherwise an installed one. Throws when there is none. */
export function findFirefox(): string;

/** Where a WebKitGTK and what drives it are installed. Throws when they are not. */
export function findWebKit(): {
  readonly driver: string;
  readonly miniBrowser: string;
  readonly xvfb: string;
};
