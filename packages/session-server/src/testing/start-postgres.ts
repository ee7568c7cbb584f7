import type { TestProject } from 'vitest/node';
import { PostgresDatabase } from '../store/postgres-database.js';
import { TEMPLATE } from './postgres-store.js';
import { PostgresServer } from './postgres-server.js';

/** One PostgreSQL for all files of a run, with a database to copy that has our tables. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  try {
    // Copied once, for the servers that tests start for themselves.
    process.env['PAY_TEST_POSTGRES'] ??= server.programs;
    const [row] = await server.query('SHOW server_version');
    process.stdout.write(`PostgreSQL ${String(row?.['server_version'])}\n`);
    await server.query(`CREATE DATABASE ${TEMPLATE}`);
    await (await PostgresDatabase.open(server.url(TEMPLATE))).close();
    project.provide('postgresUrl', server.url());
  } catch (error) {
    await server.remove();
    throw error;
  }
  return () => server.remove();
}
