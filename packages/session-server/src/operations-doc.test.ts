import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TUNING, parseConfig, SECRETS } from './config.js';
import { ConfigError } from './errors.js';
import { LOG_FIELDS } from './logger.js';
import { readOperationsGuide } from './testing/operations-guide.js';

const page = readOperationsGuide();
const ENV: Readonly<Record<string, string>> = {
  PAY_ENVIRONMENT: 'production',
  PAY_PUBLIC_URL: 'https://pay.example',
  PAY_DATABASE_FILE: '/data/pay.sqlite',
  PAY_MERCHANTS_FILE: '/etc/pay/merchants.json',
  PAY_WIDGET_SCRIPT: '/srv/pay-checkout.js',
  PAY_PARTNER_API_URL: 'https://provider.example',
  PAY_PARTNER_API_KEY: 'invented-key',
  PAY_ENCRYPTION_KEY: `2026:${Buffer.alloc(32, 1).toString('base64')}`,
  PAY_TRUST_PROXY: '1',
  // Without it there is no listener whose other settings could be compared.
  PAY_OPERATOR_PORT: '9464',
};

/** The cells of the rows of a section's table, below its head. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .split(' | ')
      .map((cell) => cell.replace(/^\||\|$/g, '').trim())
      .filter((cell) => !/^-+$/.test(cell)),
  );
}

function sourceTexts(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
}

describe('the settings of docs/operations', () => {
  const settings = rowsOf('Settings').flatMap((cells) => {
    const names = [...(cells[0] ?? '').matchAll(/`(PAY_\w+|DATABASE_URL)`/g)].map(
      ([, name = '']) => name,
    );
    const defaults = (cells.at(-1) ?? '').replaceAll('`', '').split(', ');
    return names.map((name, at) => [name, defaults[at] ?? ''] as const);
  });

  it('are those that the server reads', () => {
    const [, schema = ''] =
      /environmentSchema = z\n([^]*?)\.superRefine/.exec(
        readFileSync(join(import.meta.dirname, 'config.ts'), 'utf8'),
      ) ?? [];
    const read = [...schema.matchAll(/^ +(PAY_\w+|DATABASE_URL):/gm)].map(([, name]) => name);
    expect(settings.map(([name]) => name).toSorted()).toEqual(read.toSorted());
  });

  it.each(settings)('%s: its default is %s', (name, shown) => {
    const { [name]: _given, ...others } = ENV;
    if (shown.startsWith('required')) {
      expect(() => parseConfig(others)).toThrow(ConfigError);
      expect(() => parseConfig(others)).toThrow(name);
    } else if (shown === 'none' || shown === 'no such listener') {
      expect(() => parseConfig(others)).not.toThrow();
    } else {
      const value = ENV[shown] ?? shown;
      const { settings: _, ...config } = parseConfig({ ...others, [name]: value });
      expect(parseConfig(others)).toMatchObject(config);
    }
  });
});

describe('the secrets in files of docs/operations', () => {
  it('are those that the server reads from files', () => {
    const [, section = ''] = page.split('\n## Secrets in files\n');
    const [listed = ''] = section.split(' may each be in a file');
    const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    expect(names).toEqual([...SECRETS]);
  });
});

describe('the constants of docs/operations', () => {
  it('are those of the code, with their values', () => {
    const listed = rowsOf('Constants')
      .filter((cells) => cells.length > 0)
      .map((cells) => [(cells[0] ?? '').replaceAll('`', ''), Number(cells.at(-1))]);
    const { rateLimits, webhooks, ...others } = DEFAULT_TUNING;
    const within = (group: string, values: object) =>
      Object.entries(values).map(([name, value]) => [`${group}.${name}`, value as number]);
    expect(listed).toEqual([
      ...Object.entries(others),
      ...within('rateLimits', rateLimits),
      ...within('webhooks', webhooks),
    ]);
  });
});

describe('the commands of docs/operations that install the server', () => {
  it('set all that production needs', () => {
    const lines = [...page.matchAll(/^export (PAY_\w+)=(\S+)/gm)];
    const given = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    expect(given).toMatchObject({ PAY_ENCRYPTION_KEY: '2026:…', PAY_PARTNER_API_KEY: '…' });
    const { PAY_ENCRYPTION_KEY, PAY_PARTNER_API_KEY } = ENV;
    const env = { ...given, PAY_ENCRYPTION_KEY, PAY_PARTNER_API_KEY };
    expect(parseConfig(env).environment).toBe('production');
  });
});

describe('what a start says, in docs/operations', () => {
  it('is all that a data file can be refused for', () => {
    const listed = rowsOf('When the data file cannot be used').flatMap(([words = '']) =>
      [...words.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    );
    const files = ['data-file.ts', 'sqlite-database.ts', 'sqlite-migrations.ts'];
    const said = files
      .map((file) => readFileSync(join(import.meta.dirname, 'store', file), 'utf8'))
      .flatMap((text) => [
        ...text.matchAll(/'((?:it|the disk|another|a backup|a restore) [^']+)'/g),
      ])
      .map(([, text = '']) => text);
    expect(said.length).toBeGreaterThan(10);
    expect(said.filter((text) => !listed.some((words) => text.startsWith(words)))).toEqual([]);
    expect(listed.filter((words) => !said.some((text) => text.startsWith(words)))).toEqual([]);
  });
});

describe('the log of docs/operations', () => {
  it('has a row for each message, and for no other', () => {
    const listed = rowsOf('The log').flatMap(([messages = '']) =>
      [...messages.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
    );
    const written = sourceTexts().flatMap((text) =>
      [...text.matchAll(/\blogger\.(?:debug|info|warn|error)\([^;]*?'([^']+)',?\s*\)/g)].map(
        ([, message = '']) => message,
      ),
    );
    expect(new Set(written).size).toBeGreaterThan(10);
    const isListed = (message: string) => listed.some((words) => message.startsWith(words));
    expect(written.filter((message) => !isListed(message))).toEqual([]);
    const isWritten = (words: string) => written.some((message) => message.startsWith(words));
    expect(listed.filter((words) => !isWritten(words))).toEqual([]);
  });

  it('has a row for each field, and for no other', () => {
    const listed = rowsOf('The fields of a line').flatMap(([fields = '']) =>
      [...fields.matchAll(/`([^`]+)`/g)].map(([, field = '']) => field),
    );
    expect(listed.toSorted()).toEqual([...LOG_FIELDS].toSorted());
  });
});
