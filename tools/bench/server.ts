/**
 * The session server with an order source inside the process: every order costs 9.99. On PostgreSQL with
 * a `DATABASE_URL`, otherwise on a data file of its own.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig, startSessionServer } from '@pay-checkout/session-server';
import { writeWidgetScript } from '../../packages/session-server/src/testing/widget-script.ts';
import { benchMerchants } from './merchant.ts';
import { reportToParent } from './report.ts';

const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'bench-'));
const merchants = benchMerchants(Number(process.env['BENCH_MERCHANTS'] ?? 1));
writeFileSync(join(folder, 'merchants.json'), JSON.stringify(merchants));
const server = await startSessionServer(
  parseConfig(
    {
      PAY_ENVIRONMENT: 'sandbox',
      PAY_PORT: '0',
      PAY_PUBLIC_URL: 'http://pay.localhost:4200',
      PAY_DATABASE_FILE: join(folder, 'data.sqlite'),
      DATABASE_URL: process.env['DATABASE_URL'],
      PAY_NAMED_STATEMENTS: process.env['PAY_NAMED_STATEMENTS'],
      PAY_ENCRYPTION_KEY: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
      PAY_MERCHANTS_FILE: join(folder, 'merchants.json'),
      PAY_WIDGET_SCRIPT: writeWidgetScript(folder),
      PAY_PARTNER_API_URL: process.env['PROVIDER_URL'],
      PAY_PARTNER_API_KEY: randomBytes(8).toString('hex'),
      PAY_LOG_LEVEL: 'silent',
    },
    {
      rateLimits: {
        createPerAddress: 1e9,
        createPerMerchant: 1e9,
        statusPerAddress: 1e9,
        apiPerMerchant: 1e9,
      },
    },
  ),
  {
    lookUpOrder: (_merchant, order) =>
      Promise.resolve({ order, amount: '9.99', currency: 'GBP', status: 'payable' }),
  },
);
reportToParent(server.port, async () => {
  await server.close();
  if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true, force: true });
});
