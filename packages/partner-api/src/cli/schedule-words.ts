import { Cron } from 'croner';
import cronstrue from 'cronstrue';

/** A schedule that is a cron expression: what it says, and when it is due next. */
export interface ScheduleWords {
  readonly words: string;
  /** In the given zone, with its offset. */
  readonly nextRuns: readonly string[];
}

const FIELDS = /^(?:[\d*,/?LW#A-Za-z-]+\s+){4,5}[\d*,/?LW#A-Za-z-]+$/;

/**
 * Puts a cron expression of five or six fields into words; `undefined` for any other text, which
 * is then shown as it is. In which zone the provider reads a schedule is not shown (spec 2.3), so
 * the caller says it. Where days of the week are numbers next to `?`, two dialects disagree on which
 * day is 1: that is no expression that can be read for certain.
 */
export function describeSchedule(
  text: string,
  timezone: string,
  now: Date = new Date(),
  count = 3,
): ScheduleWords | undefined {
  const expression = text.trim();
  if (!FIELDS.test(expression) || isAmbiguous(expression)) return undefined;
  try {
    const words = cronstrue.toString(expression, { use24HourTimeFormat: true });
    const runs = new Cron(expression, { timezone, mode: 'auto' }).nextRuns(count, now);
    return { words, nextRuns: runs.map((run) => formatRun(run, timezone)) };
  } catch {
    return undefined;
  }
}

/** Whether a name is a time zone that this machine knows. */
export function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function isAmbiguous(expression: string): boolean {
  return expression.includes('?') && /[1-7]/.test(expression.split(/\s+/).at(-1) ?? '');
}

function formatRun(run: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(run);
  const part = (type: string): string => parts.find((other) => other.type === type)?.value ?? '';
  const day = `${part('weekday')} ${part('year')}-${part('month')}-${part('day')}`;
  return `${day} ${part('hour')}:${part('minute')} ${part('timeZoneName')}`;
}
