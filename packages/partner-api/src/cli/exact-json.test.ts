import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { makeFolder, run } from '../testing/cli-runner.js';
import { answerJson, startServer } from '../testing/test-server.js';
import { parseExactJson } from './options.js';

const CREATE = ['checkout-sessions', 'create', '--merchant-id', '1', '--order-id', '1'];

describe('JSON that a person wrote', () => {
  it('keeps numbers of up to 15 digits, and any text', () => {
    const text = '{"a":[0.1,12345678901234.5,1e3,-2.50],"b":"12345678901234567.89","c":null}';
    expect(JSON.stringify(parseExactJson(text))).toBe(
      '{"a":[0.1,12345678901234.5,1000,-2.5],"b":"12345678901234567.89","c":null}',
    );
  });

  it.each(['12345678901234567.89', '[{"value":1000000000000000000.01}]', '1e400'])(
    'is refused where a number in it would be changed: %s',
    (text) => {
      expect(() => parseExactJson(text)).toThrow('write it as a text, in quotes');
    },
  );

  it('is refused in words when it has too many levels', () => {
    const text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(() => parseExactJson(text)).toThrow('The JSON has too many levels to be sent.');
  });

  it('is sent by no command when it would be changed', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    await using folder = await makeFolder();
    const file = folder.at('body.json');
    await writeFile(file, '{"SplitFee":[{"value":1000000000000000000.01}]}');
    const env = { PAY_PARTNER_BASE_URL: server.url, PAY_PARTNER_API_KEY: 'invented-key' };
    for (const args of [
      [...CREATE, '--extra-field', 'tip=12345678901234567.89'],
      [...CREATE, '--body', file],
      ['transfers', 'list', '1001', '--body', file],
    ]) {
      const { code, stderr } = await run(args, { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('write it as a text')]);
    }
    expect(server.requests).toEqual([]);
  });
});
