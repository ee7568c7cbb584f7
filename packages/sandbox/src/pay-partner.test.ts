import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { exportForPayPartner } from './pay-partner.js';

it('sets in a shell what pay-partner reads, whatever the key is', () => {
  const apiKey = `it's "$HOME" & more`;
  const line = exportForPayPartner({ url: 'http://127.0.0.1:4300', apiKey });
  const shown = execFileSync('sh', ['-c', `${line}; env`], { encoding: 'utf8', env: {} });
  expect(shown.split('\n')).toEqual(
    expect.arrayContaining([
      'PAY_PARTNER_ENVIRONMENT=sandbox',
      'PAY_PARTNER_BASE_URL=http://127.0.0.1:4300',
      'PAY_PARTNER_MERCHANTS_BASE_URL=http://127.0.0.1:4300/merchants-sandbox',
      'PAY_PARTNER_TRANSFERS_BASE_URL=http://127.0.0.1:4300',
      `PAY_PARTNER_API_KEY=${apiKey}`,
    ]),
  );
});
