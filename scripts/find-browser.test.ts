import { afterEach, describe, expect, it, vi } from 'vitest';
import { browserEnvironment, findBrowser } from './find-browser.mjs';

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
