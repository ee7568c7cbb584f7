import { userInfo } from 'node:os';
import {
  AppError,
  type Config,
  type Database,
  type DeadLetter,
  type DeadLetterFilter,
  findDeadLetters,
  openAlongside,
  type RedeliverFilter,
  systemClock,
} from '@pay-checkout/session-server/internals';
import { redeliverAndNote } from '../audit.js';

const MAX_SHOWN = 1000;

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
  const database = await openAlongside(config, 'alongside');
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
