import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';

/** All texts that a value turns into when a program prints, logs or writes it. */
export function showEverything(value: unknown): string {
  return [
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    String(value),
    JSON.stringify(value),
    value instanceof Error ? (value.stack ?? '') : '',
  ].join('\n');
}

const CHANNELS = ['call.start', 'call.end', 'attempt.start', 'attempt.end'];

/** An event and the channel that it came on, without the common begin of its name. */
export interface RecordedEvent {
  readonly channel: string;
  readonly event: Record<string, unknown>;
}

/** Listens to the diagnostics channels of the package until it is stopped. */
export function recordDiagnostics(): { readonly events: RecordedEvent[]; stop(): void } {
  const events: RecordedEvent[] = [];
  const listeners = CHANNELS.map((channel) => {
    const name = `pay-checkout.partner-api.${channel}`;
    const listener = (event: unknown): void => {
      events.push({ channel, event: event as Record<string, unknown> });
    };
    subscribe(name, listener);
    return () => unsubscribe(name, listener);
  });
  return { events, stop: () => listeners.forEach((end) => end()) };
}
