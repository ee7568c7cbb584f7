import { describe, expect, it } from 'vitest';
import { GOOD_CONSOLE_ENV } from '../testing/running-console.js';
import { ConfigError } from '../shared/config.js';
import { readConsoleConfig } from './config.js';

function mistakesOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConsoleConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the settings of the partner console', () => {
  it('takes good ones, and keeps the key out of what is printed', () => {
    const config = readConsoleConfig(GOOD_CONSOLE_ENV);
    expect(config).toMatchObject({ port: 0, publicUrl: 'http://partner.localhost:4400' });
    expect(JSON.stringify(config)).not.toContain(GOOD_CONSOLE_ENV.CONSOLE_PARTNER_API_KEY);
  });

  it('names everything that is missing at once', () => {
    expect(mistakesOf({}).map((mistake) => mistake.split(' ')[0])).toEqual([
      'CONSOLE_PUBLIC_URL',
      'CONSOLE_PARTNER_API_URL',
      'CONSOLE_MERCHANTS_API_URL',
      'CONSOLE_TRANSFERS_API_URL',
      'CONSOLE_PARTNER_API_KEY',
      'CONSOLE_KEY_DIRECTORY',
    ]);
  });

  it.each([
    ['CONSOLE_PORT', '70000'],
    ['CONSOLE_PUBLIC_URL', 'partner.localhost'],
    ['CONSOLE_PARTNER_API_URL', 'ftp://provider.example'],
    ['CONSOLE_PARTNER_API_KEY', 'a key with spaces'],
    ['CONSOLE_PARTNER_API_KEY', 'short'],
    ['CONSOLE_KEY_DIRECTORY', ''],
    ['CONSOLE_OPERATOR_URL', 'operator.localhost'],
    ['CONSOLE_PAY_PAGE_URL', 'https://pay.example/session'],
    ['CONSOLE_PAY_PAGE_URL', 'javascript:{session}'],
    ['CONSOLE_KNOWN', '{'],
    ['CONSOLE_KNOWN', '{"partners":[],"merchants":[{"id":"1001"}],"reportSchedules":[]}'],
  ])('refuses %s=%s by name and never repeats the key', (name, value) => {
    const mistakes = mistakesOf({ ...GOOD_CONSOLE_ENV, [name]: value });
    expect(mistakes.length).toBeGreaterThan(0);
    for (const mistake of mistakes) {
      expect(mistake).toContain(name);
      if (name.endsWith('KEY')) expect(mistake).not.toContain(value);
    }
  });
});
