import { PartnerClient } from '@pay-checkout/partner-api';
import { createPartnerGateway } from '../provider/gateway.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { ConfigError } from '../errors.js';
import { explainOrder } from '../reconciliation/explain.js';
import { readMerchants } from '../merchants/merchant-source.js';
import { SqliteDatabase } from '../store/sqlite-database.js';

/** `pay-session-server explain <order> [merchant]`, beside a running server or without one. */
export async function runExplain(
  config: Config,
  order: string,
  merchantId?: string,
): Promise<string[]> {
  const merchants = [...readMerchants(config.merchantsFile, config.environment).values()].filter(
    ({ id }) => merchantId === undefined || id === merchantId,
  );
  if (merchants.length === 0) {
    throw new ConfigError('merchants file', [`there is no merchant "${merchantId ?? ''}"`]);
  }
  const client = new PartnerClient({
    apiKey: config.partnerApiKey,
    baseUrl: config.partnerApiUrl,
    timeoutSeconds: config.createSessionTimeoutSeconds,
  });
  const database = new SqliteDatabase(config.databaseFile, 'read');
  try {
    const lines: string[] = [];
    for (const merchant of merchants) {
      const gateway = createPartnerGateway(client);
      const now = systemClock.now();
      lines.push(...(await explainOrder({ merchant, order, database, gateway, now })));
    }
    return lines;
  } finally {
    await database.close();
    client.close();
  }
}
