import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { toCurl } from './curl.js';
import type { RecordedCall } from './recorded-call.js';

const call: RecordedCall = {
  number: 1,
  at: '2026-01-01T00:00:00.000Z',
  operation: 'create-session',
  method: 'POST',
  path: '/create-session',
  state: 'answered',
  sentKey: true,
  framing: 'length',
  request: {
    headers: {
      host: '127.0.0.1:4300',
      api_key: '********',
      cookie: '********',
      'content-type': 'application/json',
      'content-length': '31',
    },
    body: `{"name":"Robin O'Sample $(id)"}`,
  },
};

/** What a shell gives to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\n' "$each"; done; }\n${command}`;
  const env = { ...process.env, SANDBOX_API_KEY: 'the-key' };
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).trim().split('\n');
}

it('a call copied as curl is the same call, with the key of the environment', () => {
  expect(argumentsOf(toCurl(call, 'http://127.0.0.1:4300'))).toEqual([
    '-X',
    'POST',
    'http://127.0.0.1:4300/create-session',
    '-H',
    'api_key: the-key',
    '-H',
    'content-type: application/json',
    '--data-raw',
    `{"name":"Robin O'Sample $(id)"}`,
  ]);
});

it('says when masked values are missing, and takes a body that was cut from a file', () => {
  const masked = toCurl({ ...call, request: { headers: {}, body: '{"hmac_key":"********"}' } }, '');
  expect(masked).toMatch(/^# Put the masked values back first\.\n/);
  const cut = toCurl({ ...call, request: { headers: {}, body: '{"a', isCut: true } }, '');
  expect(cut).toMatch(/--data-binary @body\.json$/);
});
