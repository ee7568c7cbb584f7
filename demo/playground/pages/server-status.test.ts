import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollPace } from './server-status.js';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Looks for as long as it is time to. Answers how often that was so far. */
function look(pace: PollPace): () => number {
  let looks = 0;
  const lookOn = async (): Promise<void> => {
    for (;;) {
      await pace.pause();
      looks += 1;
    }
  };
  void lookOn();
  return () => looks;
}

describe('the pace of looks', () => {
  it('is steady, and ends when nothing has happened for long', async () => {
    const looks = look(new PollPace());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(looks()).toBe(10);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(looks()).toBe(300);
  });

  it('begins again when something happens after it has ended', async () => {
    const pace = new PollPace();
    const looks = look(pace);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    pace.pollNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(looks()).toBe(301);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(looks()).toBe(311);
  });
});
