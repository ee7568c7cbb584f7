import { BEAT_MS, type ServerState } from '@pay-checkout/session-server/internals';
import { describeDuration } from './timeline-words.js';

/** A few beats may be lost, as while a database fails over. */
const SILENT_MS = 6 * BEAT_MS;
/** As the log warns of it. */
const MAX_CLOCK_DIFFERENCE_MS = 1000;
const MAX_STALLED_MS = 500;

/**
 * What is wrong with the servers of a store, and between them, in sentences.
 *
 * @param servers the one that is asked first
 */
export function describeServerProblems(servers: readonly ServerState[]): string[] {
  const now = servers[0]?.seenAt ?? 0;
  const isSilent = ({ seenAt }: ServerState): boolean => now - seenAt > SILENT_MS;
  const running = servers.filter((server) => !isSilent(server));
  return [
    ...servers
      .filter(isSilent)
      .map(
        ({ name, seenAt }) =>
          `${name} has been silent for ${describeDuration((now - seenAt) / 1000)}: it was killed, hangs, or has no database.`,
      ),
    ...differences(running, ({ version }) => version, 'run different versions'),
    ...differences(running, ({ encryptionKey }) => encryptionKey, 'encrypt with different keys'),
    ...running
      .filter(({ clockAheadMs = 0 }) => Math.abs(clockAheadMs) > MAX_CLOCK_DIFFERENCE_MS)
      .map(({ name, clockAheadMs = 0 }) => {
        const side = clockAheadMs > 0 ? 'ahead of' : 'behind';
        return `The clock of ${name} is ${seconds(Math.abs(clockAheadMs))} ${side} that of the database.`;
      }),
    ...running
      .filter(({ listsBackingOff }) => listsBackingOff > 0)
      .map(
        ({ name, listsBackingOff: lists }) =>
          `${name} does not poll ${lists === 1 ? 'a list' : `${String(lists)} lists`} of the provider for now, because ${lists === 1 ? 'it' : 'they'} failed.`,
      ),
    ...running
      .filter(({ stalledMs }) => stalledMs > MAX_STALLED_MS)
      .map(({ name, stalledMs }) => `${name} answered no one for ${seconds(stalledMs)}.`),
  ];
}

/** A sentence where not all have the same. */
function differences(
  servers: readonly ServerState[],
  valueOf: (server: ServerState) => string,
  what: string,
): string[] {
  const byValue = Map.groupBy(servers, valueOf);
  if (byValue.size < 2) return [];
  const parts = [...byValue].map(
    ([value, of]) => `${value} (${of.map(({ name }) => name).join(', ')})`,
  );
  return [`Servers ${what}: ${parts.join(', ')}.`];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
