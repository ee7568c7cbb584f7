/**
 * Finds the Firefox of `npm run check:browsers`: `FIREFOX_PATH`, else one that is installed. There is
 * none to fetch: a browser that people use is the one to look at.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { SetupError } from './child.mjs';

const HOW_TO_INSTALL =
  'Install it ("apt-get install firefox-esr" on Debian, "brew install --cask firefox" on macOS, "winget install Mozilla.Firefox" on Windows), or set FIREFOX_PATH to the path of a Firefox.';

/** The path of a Firefox. */
export function findFirefox() {
  const { FIREFOX_PATH } = process.env;
  if (FIREFOX_PATH !== undefined && FIREFOX_PATH !== '') {
    if (existsSync(FIREFOX_PATH)) return FIREFOX_PATH;
    throw new SetupError(
      `FIREFOX_PATH is ${FIREFOX_PATH}, and there is no such file. Correct it, or unset it.`,
    );
  }
  const installed = usualPlaces().find(existsSync);
  if (installed !== undefined) return installed;
  throw new SetupError(`Firefox is not installed. ${HOW_TO_INSTALL}`);
}

/** The usual places, best first. */
function usualPlaces() {
  switch (process.platform) {
    case 'darwin':
      return ['/Applications', join(homedir(), 'Applications')].map(
        (folder) => `${folder}/Firefox.app/Contents/MacOS/firefox`,
      );
    case 'win32':
      return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
        .flatMap((name) => process.env[name] ?? [])
        .map((folder) => join(folder, 'Mozilla Firefox/firefox.exe'));
    default:
      return (process.env.PATH ?? '')
        .split(delimiter)
        .filter((folder) => folder !== '')
        .flatMap((folder) => [join(folder, 'firefox-esr'), join(folder, 'firefox')]);
  }
}
