import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollPace } from './server-status.js';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Polls for as long as it is time to. Answers how often that was so far. */
function countPolls(pace: PollPace): () => number {
  let polls = 0;
  const poll = async (): Promise<void> => {
    for (;;) {
      await pace.pause();
      polls += 1;
    }
  };
  void poll();
  return () => polls;
}

describe('the pace of polls', () => {
  it('is steady, and ends when nothing has happened for long', async () => {
    const polls = countPolls(new PollPace());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(polls()).toBe(10);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(polls()).toBe(300);
  });

  it('begins again when something happens after it has ended', async () => {
    const pace = new PollPace();
    const polls = countPolls(pace);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    pace.pollNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(polls()).toBe(301);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(polls()).toBe(311);
  });
});
