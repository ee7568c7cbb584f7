import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findFirefox } from './find-firefox.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firefox-'));
  vi.stubEnv('FIREFOX_PATH', '');
  vi.stubEnv('PATH', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('the Firefox of the tests', () => {
  it('is the one that FIREFOX_PATH names', () => {
    vi.stubEnv('FIREFOX_PATH', process.execPath);
    expect(findFirefox()).toBe(process.execPath);
  });

  it('is not guessed when FIREFOX_PATH names nothing', () => {
    vi.stubEnv('FIREFOX_PATH', '/no/such/firefox');
    expect(findFirefox).toThrow('FIREFOX_PATH is /no/such/firefox');
  });

  it.runIf(process.platform === 'linux')('is else an installed one', () => {
    writeFileSync(join(folder, 'firefox-esr'), '');
    expect(findFirefox()).toBe(join(folder, 'firefox-esr'));
  });

  it.runIf(process.platform === 'linux')('that is missing is told with how to install it', () => {
    expect(findFirefox).toThrow(/Firefox is not installed\. Install it .*apt-get install/);
  });
});
