/**
 * What an engineer would write by hand for the same promise: Express 5 that checks with zod, stores one
 * row before it calls the provider through undici and its session after it, and answers a status from
 * the store. Both writes are on the disk before the next step: on PostgreSQL with a `DATABASE_URL`,
 * otherwise on a data file of its own.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';
import pg from 'pg';
import { Agent } from 'undici';
import { z } from 'zod';
import { listenAndReport } from './report.ts';

interface Store {
  insert(id: string, order: string): Promise<number>;
  setSession(id: string, sessionId: string): Promise<void>;
  read(id: string): Promise<object | undefined>;
  close(): Promise<void>;
}

const url = process.env['DATABASE_URL'];
const store = url === undefined ? openDataFile() : await openPostgres(url);
const agent = new Agent({ connections: 50 });
const provider = process.env['PROVIDER_URL'] ?? '';
const createRequest = z.strictObject({
  merchant: z.string(),
  order: z.string(),
  orderToken: z.string().optional(),
});
const createdSession = z.object({ session_id: z.string() });
const statusQuery = z.object({ id: z.string().transform((id) => id.split(':')[0] ?? '') });

const app = express();
app.post('/v1/checkouts', express.json(), async (request, response) => {
  const { order } = createRequest.parse(request.body);
  const checkout = randomBytes(16).toString('hex');
  const orderId = await store.insert(checkout, order);
  const { body } = await agent.request({
    origin: provider,
    path: '/create-session',
    method: 'POST',
    headers: { 'content-type': 'application/json', api_key: 'bench' },
    body: JSON.stringify({
      merchant_id: 1001,
      order_id: orderId,
      Amount: '9.99',
      MerchantReference: order,
    }),
  });
  const { session_id: sessionId } = createdSession.parse(await body.json());
  await store.setSession(checkout, sessionId);
  response.json({ checkout, state: 'open', sessionId, amount: '9.99' });
});
app.get('/v1/checkouts', async (request, response) => {
  const { id } = statusQuery.parse(request.query);
  const row = await store.read(id);
  if (row === undefined) response.status(404).end();
  else response.json({ checkouts: [row] });
});
listenAndReport(createServer(app), () => store.close());

function openDataFile(): Store {
  const own = process.env['BENCH_FOLDER'];
  const folder = own ?? mkdtempSync(join(tmpdir(), 'peer-'));
  const database = new DatabaseSync(join(folder, 'peer.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE peer_checkouts (number INTEGER PRIMARY KEY, checkout TEXT NOT NULL UNIQUE,
      order_name TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER NOT NULL, session_id TEXT)`);
  const insert = database.prepare(
    `INSERT INTO peer_checkouts (checkout, order_name, state, revision) VALUES (?, ?, 'open', 1)`,
  );
  const update = database.prepare('UPDATE peer_checkouts SET session_id = ? WHERE checkout = ?');
  const select = database.prepare(
    'SELECT checkout, state, revision FROM peer_checkouts WHERE checkout = ?',
  );
  return {
    insert: (id, order) => Promise.resolve(Number(insert.run(id, order).lastInsertRowid)),
    setSession(id, sessionId) {
      update.run(sessionId, id);
      return Promise.resolve();
    },
    read: (id) => Promise.resolve(select.get(id)),
    close() {
      database.close();
      if (own === undefined) rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

async function openPostgres(connectionString: string): Promise<Store> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(`CREATE TABLE peer_checkouts (number BIGSERIAL PRIMARY KEY, checkout TEXT NOT NULL UNIQUE,
    order_name TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER NOT NULL, session_id TEXT)`);
  return {
    async insert(id, order) {
      const { rows } = await pool.query<{ number: string }>(
        `INSERT INTO peer_checkouts (checkout, order_name, state, revision)
         VALUES ($1, $2, 'open', 1) RETURNING number`,
        [id, order],
      );
      return Number(rows[0]?.number);
    },
    async setSession(id, sessionId) {
      await pool.query('UPDATE peer_checkouts SET session_id = $1 WHERE checkout = $2', [
        sessionId,
        id,
      ]);
    },
    async read(id) {
      const { rows } = await pool.query<object>(
        'SELECT checkout, state, revision FROM peer_checkouts WHERE checkout = $1',
        [id],
      );
      return rows[0];
    },
    close: () => pool.end(),
  };
}
