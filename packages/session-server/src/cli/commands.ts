import { userInfo } from 'node:os';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError, ConfigError } from '../errors.js';
import { fixedMerchants, readMerchantsFile } from '../merchants/merchant-source.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  findDeadLetters,
  type RedeliverFilter,
} from '../outbox/repository.js';
import { createPartnerGateway } from '../provider/gateway.js';
import { PartnerClients } from '../provider/partner-clients.js';
import { redeliverAndNote } from '../operator/audit.js';
import { describeTimeline, explainOrder } from '../operator/explain.js';
import type { Database } from '../store/database.js';
import { openBeside } from '../open-database.js';
import { countWebhooks } from '../webhooks/repository.js';
import { shareQuota } from './share-quota.js';

const MAX_SHOWN = 1000;

/** `pay-session-server explain <order> [merchant]`, beside a running server or without one. */
export async function runExplain(
  config: Config,
  order: string,
  merchantId?: string,
): Promise<string[]> {
  const source = fixedMerchants(readMerchantsFile(config.merchantsFile, config.environment));
  const merchants = (await source.all()).filter(
    ({ id }) => merchantId === undefined || id === merchantId,
  );
  if (merchants.length === 0) {
    throw new ConfigError('merchants file', [`there is no merchant "${merchantId ?? ''}"`]);
  }
  const clients = new PartnerClients(config, source);
  const database = await openBeside(config, 'read');
  try {
    const lines: string[] = [];
    const shared = {
      ...{ order, database, gateway: createPartnerGateway(clients), merchants: source },
      waitForPage: shareQuota(database, source, config),
      signal: new AbortController().signal,
    };
    for (const merchant of merchants) {
      lines.push(...(await describeTimeline(database, { merchant: merchant.id, order })));
      lines.push(...(await explainOrder({ ...shared, merchant, now: systemClock.now() })));
    }
    return lines;
  } finally {
    await database.close();
    clients.close();
  }
}

/** `pay-session-server webhooks`: counts of the provider's webhooks. */
export async function runWebhooks(config: Config): Promise<string[]> {
  const database = await openBeside(config, 'read');
  try {
    const { waiting, unmatched, processed, flagged, tests } = await countWebhooks(database);
    return Object.entries({ waiting, unmatched, processed, ...flagged, tests }).map(
      ([name, count]) => `${name.padEnd(20)} ${String(count)}`,
    );
  } finally {
    await database.close();
  }
}

/**
 * `pay-session-server events dead-lettered [merchant]` and
 * `events redeliver <id>… | --merchant <id> [--retrying] | --all`, beside a running server or without
 * one. A running one delivers the events within seconds.
 *
 * @throws {AppError} when the words after `events` are not these
 */
export async function runEvents(config: Config, words: readonly string[]): Promise<string[]> {
  const command = parseWords(words);
  const database = await openBeside(config, 'beside');
  try {
    return await command(database);
  } finally {
    await database.close();
  }
}

function parseWords(words: readonly string[]): (database: Database) => Promise<string[]> {
  const [verb, ...rest] = words;
  if (verb === 'dead-lettered' && rest.length <= 1) {
    return (database) => listDeadLettered(database, { merchant: rest[0] });
  }
  const filter = verb === 'redeliver' ? parseFilter(rest) : undefined;
  if (filter === undefined) {
    throw new AppError(
      400,
      'invalid_request',
      'expected: events dead-lettered [merchant], or: events redeliver <event id>… | --merchant <id> [--retrying] | --all',
    );
  }
  return async (database) => {
    const count = await database.transaction('outbox:redeliver', (tx) =>
      redeliverAndNote(tx, filter, { actor: commandLineActor() }, systemClock.now()),
    );
    return [`${String(count)} events will be redelivered`];
  };
}

/** Who runs the command, for the audit trail. */
function commandLineActor(): string {
  try {
    return `command-line (${userInfo().username})`;
  } catch {
    // A container may run under a user id that has no name.
    return 'command-line';
  }
}

/** Strict, so that nothing is redelivered because a word was left out. */
function parseFilter(words: readonly string[]): RedeliverFilter | undefined {
  const [first, second, third, ...more] = words;
  if (first === '--all' && second === undefined) return {};
  if (first === '--merchant' && second !== undefined && more.length === 0) {
    if (third === undefined) return { merchant: second };
    return third === '--retrying' ? { merchant: second, waiting: true } : undefined;
  }
  return first !== undefined && words.every((word) => word.startsWith('msg_'))
    ? { ids: words }
    : undefined;
}

async function listDeadLettered(database: Database, filter: DeadLetterFilter): Promise<string[]> {
  const events = await findDeadLetters(database, filter, MAX_SHOWN + 1);
  const shown = events.slice(0, MAX_SHOWN).map(describeDeadLetter);
  if (events.length > MAX_SHOWN) shown.push(`and more: the oldest ${String(MAX_SHOWN)} are shown`);
  return events.length === 0 ? ['no events are dead-lettered'] : shown;
}

function describeDeadLetter(event: DeadLetter): string {
  const { id, merchant, order, type, sequence, createdAt } = event;
  const time = new Date(createdAt).toISOString();
  return [id, time, merchant, order, type, `sequence ${String(sequence)}`].join('  ');
}
