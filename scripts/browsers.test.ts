import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEnvironment, findBrowser, findFirefox, findWebKit } from './browsers.mjs';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the browser of the tests', () => {
  it('is the one that CHROME_PATH names', async () => {
    vi.stubEnv('CHROME_PATH', process.execPath);
    const browser = await findBrowser();
    expect(browser).toMatchObject({ executablePath: process.execPath, source: 'CHROME_PATH' });
    expect(browserEnvironment(browser)).toMatchObject({
      CHROME_PATH: process.execPath,
      PAY_BROWSER_ARGS: browser.args.join(' '),
    });
  });

  it('is not guessed when CHROME_PATH names nothing', async () => {
    vi.stubEnv('CHROME_PATH', '/no/such/chrome');
    await expect(findBrowser()).rejects.toThrow('CHROME_PATH is /no/such/chrome');
  });

  it('is not guessed when PAY_BROWSER has a value that it cannot have', async () => {
    vi.stubEnv('CHROME_PATH', '');
    vi.stubEnv('PAY_BROWSER', 'newest');
    await expect(findBrowser()).rejects.toThrow('PAY_BROWSER is newest');
  });
});

describe('the Firefox of the tests', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'firefox-'));
    vi.stubEnv('FIREFOX_PATH', '');
    vi.stubEnv('PATH', folder);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is the one that FIREFOX_PATH names', () => {
    vi.stubEnv('FIREFOX_PATH', process.execPath);
    expect(findFirefox()).toBe(process.execPath);
  });

  it('is not guessed when FIREFOX_PATH names nothing', () => {
    vi.stubEnv('FIREFOX_PATH', '/no/such/firefox');
    expect(findFirefox).toThrow('FIREFOX_PATH is /no/such/firefox');
  });

  it.runIf(process.platform === 'linux')('is otherwise an installed one', () => {
    writeFileSync(join(folder, 'firefox-esr'), '');
    expect(findFirefox()).toBe(join(folder, 'firefox-esr'));
  });

  it.runIf(process.platform === 'linux')(
    'that is missing: the error says how to install it',
    () => {
      expect(findFirefox).toThrow(/Firefox is not installed\. Install it .*apt-get install/);
    },
  );
});

describe('the WebKitGTK of the tests', () => {
  it('that is missing: the error says how to install it', () => {
    vi.stubEnv('PATH', '');
    expect(findWebKit).toThrow(/WebKitGTK is not installed .*apt-get install webkit2gtk-driver/);
  });
});
