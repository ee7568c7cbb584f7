import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { eraseOrder, exportOrder, findMerchantsOf } from '../erasure/order-data.js';
import type { OrderKey } from '../orders/repository.js';
import { openPersonalPart } from '../orders/put-orders.js';
import type { Database, Reader, Row } from '../store/database.js';
import { openAlongside } from '../open-database.js';
import { encryptionContext, loadSandboxKeys, DataEncryption } from '../encryption.js';
import { unpackWebhook } from '../webhooks/payload.js';

const PURGE_TRIES = 20;
const PURGE_PAUSE_MS = 250;

/**
 * `pay-session-server export <order> [merchant]`: everything stored about an order, as JSON by table,
 * decrypted. Works whether or not a server runs.
 */
export async function runExport(
  config: Config,
  order: string,
  merchant: string | undefined,
): Promise<string[]> {
  const database = await openAlongside(config, 'read');
  try {
    const tables = await exportOrder(database, await findOrder(database, order, merchant));
    const encryption = new DataEncryption(
      config.encryptionKeys ?? loadSandboxKeys(config.databaseFile),
    );
    const orders = tables.orders.map((row) => openOrder(row, encryption));
    const webhooks = tables.webhooks.map((row) => openWebhook(row, encryption));
    return [JSON.stringify({ ...tables, orders, webhooks }, undefined, 2)];
  } finally {
    await database.close();
  }
}

/**
 * `pay-session-server erase <order> [merchant]`: erases personal data of an order and keeps
 * the accounting records. No copy is left in the data file or its log. Works whether or not a server runs.
 */
export async function runErase(
  config: Config,
  order: string,
  merchant: string | undefined,
  isJson = false,
): Promise<string[]> {
  const database = await openAlongside(config, 'alongside');
  try {
    const key = await findOrder(database, order, merchant);
    const became = await database.transaction('order:erase', (tx) =>
      eraseOrder(tx, key, systemClock.now()),
    );
    if (became === 'open') {
      const why = `order ${order} may be paid at the moment; nothing was erased: try again later`;
      throw new AppError(409, 'order_in_use', why);
    }
    await purge(database);
    if (isJson) return [JSON.stringify({ ...key, erased: became === 'erased' })];
    return [
      `Order ${order} of ${key.merchant} is erased. Its name, amounts, states, and the ids and times of its payments are kept.`,
      ...(became === 'waiting'
        ? [
            'Events that wait for delivery keep their text: erase it again after they are delivered.',
          ]
        : []),
      `Backups and other copies of the ${config.databaseUrl ? 'database' : 'data file'} were not changed.`,
    ];
  } finally {
    await database.close();
  }
}

/** The running server may be reading the log; it is done in a moment. */
async function purge(database: Database): Promise<void> {
  for (let tries = 0; tries < PURGE_TRIES; tries += 1) {
    if (await database.purgeDeleted()) return;
    await sleep(PURGE_PAUSE_MS);
  }
  throw new AppError(
    503,
    'database_unavailable',
    'it is erased, and the log of the data file still has a copy, since it is in use; run this again',
  );
}

async function findOrder(
  reader: Reader,
  order: string,
  merchant: string | undefined,
): Promise<OrderKey> {
  const merchants = await findMerchantsOf(reader, order);
  const found = merchant === undefined ? merchants : merchants.filter((id) => id === merchant);
  const [only, ...others] = found;
  if (only === undefined) {
    throw new AppError(404, 'order_not_found', `there is no order "${order}"`);
  }
  if (others.length > 0) {
    const why = `several merchants have an order "${order}", name one: ${found.join(', ')}`;
    throw new AppError(400, 'invalid_request', why);
  }
  return { merchant: only, order };
}

function openOrder({ sealed, ...row }: Row, encryption: DataEncryption): Row {
  if (!(sealed instanceof Uint8Array)) return row;
  const key = { merchant: String(row['merchant']), order: String(row['order_name']) };
  return { ...row, ...(openPersonalPart({ sealed }, key, encryption) ?? { personal: null }) };
}

function openWebhook({ sealed, ...row }: Row, encryption: DataEncryption): Row {
  const context = encryptionContext(String(row['token_hash']), String(row['digest']));
  const packed = encryption.open(sealed as Uint8Array, context);
  if (!packed) return { ...row, body: null };
  const { headers, body } = unpackWebhook(packed);
  return { ...row, headers, body: Buffer.from(body).toString('utf8') };
}
