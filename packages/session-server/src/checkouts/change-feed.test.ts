import { describe, expect, it } from 'vitest';
import { ChangeFeed } from './change-feed.js';

const LONG_MS = 60_000;

describe('a change feed', () => {
  it('wakes only those who wait for the checkout', async () => {
    const feed = new ChangeFeed();
    const first = feed.wait(['a', 'b'], LONG_MS);
    const second = feed.wait(['b'], LONG_MS);
    const stop = new AbortController();
    const other = feed.wait(['c'], LONG_MS, stop.signal);
    feed.notify('b');
    expect(await Promise.all([first, second])).toEqual([true, true]);
    stop.abort();
    expect(await other).toBe(false);
  });

  it('says when nothing moved in the time', async () => {
    expect(await new ChangeFeed().wait(['a'], 1)).toBe(false);
  });

  it('does not begin to wait for one who has gone', async () => {
    const waiting = new ChangeFeed().wait(['a'], LONG_MS, AbortSignal.abort());
    expect(await waiting).toBe(false);
  });

  it('does not keep a move for those who come later', async () => {
    const feed = new ChangeFeed();
    feed.notify('a');
    expect(await feed.wait(['a'], 1)).toBe(false);
  });
});
