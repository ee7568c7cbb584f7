import { userInfo } from 'node:os';
import {
  AppError,
  type Config,
  ConfigError,
  countWebhooks,
  createPartnerGateway,
  type Database,
  type DeadLetter,
  type DeadLetterFilter,
  findDeadLetters,
  findMerchantsOf,
  fixedMerchants,
  type Merchant,
  type MerchantSource,
  openBeside,
  PartnerClients,
  readMerchantsFile,
  type RedeliverFilter,
  systemClock,
} from '@pay-checkout/session-server/internals';
import { redeliverAndNote } from '../audit.js';
import { describeTimeline, explainOrder } from '../explain.js';
import { shareQuota } from './share-quota.js';

const MAX_SHOWN = 1000;

/**
 * `pay-session-server explain <order> [merchant]`, with or without a running server.
 *
 * @throws {AppError} 404 `order_not_found`
 */
export async function runExplain(
  config: Config,
  order: string,
  merchantId?: string,
  isJson = false,
): Promise<string[]> {
  const source = fixedMerchants(readMerchantsFile(config.merchantsFile, config.environment));
  if (merchantId !== undefined && !(await source.find(merchantId))) {
    throw new ConfigError('merchants file', [`there is no merchant "${merchantId}"`]);
  }
  const clients = new PartnerClients(config, source);
  const database = await openBeside(config, 'read');
  try {
    const explained = [];
    const shared = {
      ...{ order, database, gateway: createPartnerGateway(clients), merchants: source },
      waitForPage: shareQuota(database, source, config),
      signal: new AbortController().signal,
    };
    for (const merchant of await findMerchants(database, source, order, merchantId)) {
      const key = { merchant: merchant.id, order };
      const timeline = await describeTimeline(database, key);
      const lines = await explainOrder({ ...shared, merchant, now: systemClock.now() });
      explained.push({ ...key, timeline, lines });
    }
    if (isJson) return [JSON.stringify(explained)];
    return explained.flatMap(({ timeline, lines }) => [...timeline, ...lines]);
  } finally {
    await database.close();
    clients.close();
  }
}

/** The merchants of the file that have an order of this name; all of them, or the one that is named. */
async function findMerchants(
  database: Database,
  source: MerchantSource,
  order: string,
  named: string | undefined,
): Promise<Merchant[]> {
  const ids = await findMerchantsOf(database, order);
  const found = (await source.all()).filter(
    ({ id }) => ids.includes(id) && (named === undefined || id === named),
  );
  if (found.length > 0) return found;
  const others = ids.filter((id) => id !== named);
  const whose = named === undefined ? '' : ` of ${named}`;
  const hint =
    others.length === 0
      ? ''
      : `; ${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} one of this name`;
  throw new AppError(404, 'order_not_found', `there is no order "${order}"${whose}${hint}`);
}

/** `pay-session-server webhooks`: counts of the provider's webhooks. */
export async function runWebhooks(config: Config, isJson = false): Promise<string[]> {
  const database = await openBeside(config, 'read');
  try {
    const { waiting, unmatched, processed, flagged, tests } = await countWebhooks(database);
    const counts = { waiting, unmatched, processed, ...flagged, tests };
    if (isJson) return [JSON.stringify(counts)];
    return Object.entries(counts).map(([name, count]) => `${name.padEnd(20)} ${String(count)}`);
  } finally {
    await database.close();
  }
}

/**
 * `pay-session-server events dead-lettered [merchant]` and
 * `events redeliver <id>… | --merchant <id> [--retrying] | --all`, with or without a running server. A
 * running one delivers the events within seconds.
 *
 * @throws {AppError} 400 when the words after `events` are not these; 404 `event_not_found`
 */
export async function runEvents(
  config: Config,
  words: readonly string[],
  isJson = false,
): Promise<string[]> {
  const command = parseWords(words, isJson);
  const database = await openBeside(config, 'beside');
  try {
    return await command(database);
  } finally {
    await database.close();
  }
}

function parseWords(
  words: readonly string[],
  isJson: boolean,
): (database: Database) => Promise<string[]> {
  const [verb, ...rest] = words;
  if (verb === 'dead-lettered' && rest.length <= 1) {
    return (database) => listDeadLettered(database, { merchant: rest[0] }, isJson);
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
    if (isJson) return [JSON.stringify({ redelivered: count })];
    return [`${String(count)} ${count === 1 ? 'event' : 'events'} will be redelivered`];
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

async function listDeadLettered(
  database: Database,
  filter: DeadLetterFilter,
  isJson: boolean,
): Promise<string[]> {
  const events = await findDeadLetters(database, filter, MAX_SHOWN + 1);
  if (isJson) {
    const items = events.slice(0, MAX_SHOWN).map(({ createdAt, ...event }) => {
      return { ...event, createdAt: new Date(createdAt).toISOString() };
    });
    return [JSON.stringify({ items, more: events.length > MAX_SHOWN })];
  }
  const shown = events.slice(0, MAX_SHOWN).map(describeDeadLetter);
  if (events.length > MAX_SHOWN) shown.push(`and more: the oldest ${String(MAX_SHOWN)} are shown`);
  return events.length === 0 ? ['no events are dead-lettered'] : shown;
}

function describeDeadLetter(event: DeadLetter): string {
  const { id, merchant, order, type, sequence, createdAt } = event;
  const time = new Date(createdAt).toISOString();
  return [id, time, merchant, order, type, `sequence ${String(sequence)}`].join('  ');
}
