/** One line of the log: an event of the tag, or what the page did to it. */

export interface LogEntry {
  /** Milliseconds since the tag was put on the page. */
  readonly atMs: number;
  readonly name: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  /** `did` is the page's own doing; `bad` is trouble. */
  readonly tone: 'told' | 'did' | 'good' | 'bad';
}

/** Every event that the tag fires. */
export const EVENT_NAMES = [
  'pay-statechange',
  'pay-ready',
  'pay-paid',
  'pay-declined',
  'pay-failed',
  'pay-unconfirmed',
  'pay-cancel',
  'pay-back',
  'pay-expired',
  'pay-error',
  'pay-redirect',
  'pay-metric',
] as const;

const BAD: readonly string[] = ['pay-error', 'pay-failed', 'pay-declined', 'pay-unconfirmed'];
const LONGEST = 60;

/** The event with all that it carries: its own fields, whatever they are. */
export function describeEvent(event: Event, atMs: number): LogEntry {
  return {
    atMs,
    name: event.type,
    details: Object.entries(event)
      .filter(([name, value]) => name !== 'isTrusted' && value !== undefined)
      .map(([name, value]) => [name, writeValue(value)]),
    tone: event.type === 'pay-paid' ? 'good' : BAD.includes(event.type) ? 'bad' : 'told',
  };
}

function writeValue(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
