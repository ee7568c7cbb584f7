/**
 * The bound of receiving webhooks: the least that an Express 5 server does that answers only what is on
 * the disk. It reads the raw body, writes it as one row with a number, and answers after a commit
 * that it shares with whatever came in the meantime. It does no more: no token is read, nothing is
 * encrypted, no repetition is noticed, no work follows.
 *
 * Bodies, load and durability (write-ahead log, `synchronous = FULL`) are those of the server. HTTP
 * is part of it on purpose: a loop of bare inserts makes more rows a second than any HTTP server of
 * Node answers requests, so it would bound nothing here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';
import { listenAndReport } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'bound-'));
const database = new DatabaseSync(join(folder, 'bound.sqlite'));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
const insert = database.prepare('INSERT INTO bodies (body) VALUES (?)');

let waiting: { readonly body: Uint8Array; readonly answer: () => void }[] = [];

function store(body: Uint8Array, answer: () => void): void {
  waiting.push({ body, answer });
  if (waiting.length === 1) setImmediate(commit);
}

function commit(): void {
  const group = waiting;
  waiting = [];
  database.exec('BEGIN IMMEDIATE');
  for (const { body } of group) insert.run(body);
  database.exec('COMMIT');
  for (const { answer } of group) answer();
}

const app = express();
app.post('/v1/webhooks/:token', express.raw({ type: () => true }), (request, response) => {
  store(request.body as Buffer, () => {
    response.status(204).end();
  });
});
listenAndReport(createServer(app), () => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});
