/** The sandbox and the session server in this process, joined with a shop as `npm start` joins them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type SandboxControl } from '@pay-checkout/sandbox';
import { parseConfig, startSessionServer } from '@pay-checkout/session-server';
import { PROVIDER_MERCHANT_ID } from '../stack/merchants.js';
import { writeMerchantsFile } from '../stack/merchants-file.js';
import { readStackSecrets, type StackSecrets } from '../stack/secrets.js';
import {
  addressesOf,
  perPort,
  sessionServerEnv,
  shopEnv,
  type PortName,
  type ProcessEnv,
} from '../stack/settings.js';

export interface RunningPay {
  readonly sandbox: SandboxControl;
  readonly secrets: StackSecrets;
  /** Settings of a shop that talks to it. */
  readonly shopEnv: ProcessEnv;
  close(): Promise<void>;
}

export async function startPay(): Promise<RunningPay> {
  const folder = mkdtempSync(join(tmpdir(), 'pay-'));
  const secrets = readStackSecrets(folder);
  const sandbox = createSandbox({
    apiKey: secrets.providerApiKey,
    merchants: [{ id: PROVIDER_MERCHANT_ID, name: 'Test Merchant', currency: 'GBP' }],
  });
  const { url: sandboxApi } = await sandbox.listen();
  const isServer = (name: PortName): boolean => /^(session-server|operator|dashboard)$/.test(name);
  // Nothing listens at 1.
  const ports = perPort((name) => (isServer(name) ? 0 : 1));
  const addresses = { ...addressesOf(ports), sandboxApi };
  const merchants = join(folder, 'merchants.json');
  writeMerchantsFile({ file: merchants, addresses, secrets });
  const database = join(folder, 'session-server.sqlite');
  const env = sessionServerEnv(addresses, secrets, { database, merchants });
  const server = await startSessionServer(parseConfig({ ...env, PAY_LOG_LEVEL: 'silent' }));
  const payApi = `http://127.0.0.1:${server.port}`;
  return {
    sandbox: sandbox.control,
    secrets,
    shopEnv: shopEnv(
      'shop',
      { ...addresses, payApi, operator: `http://127.0.0.1:${server.operatorPort}` },
      secrets,
      ':memory:',
    ),
    async close() {
      await server.close();
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}
