import { describe, expect, it } from 'vitest';
import { Limit } from './limit.js';

describe('so many a minute', () => {
  const refusal = (limit: Limit, key: string): unknown => {
    try {
      limit.count(key);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('are counted from the first one on, and those that are refused make nobody wait longer', () => {
    let now = 1;
    const limit = new Limit('address', 2, { now: () => now });
    expect([1, 2].map(() => refusal(limit, 'one'))).toEqual([undefined, undefined]);
    now += 20_000;
    expect(refusal(limit, 'one')).toMatchObject({ status: 429, retryAfterSeconds: 40 });
    now += 39_500;
    expect(refusal(limit, 'one')).toMatchObject({ retryAfterSeconds: 1 });
    now += 1000;
    expect(refusal(limit, 'one')).toBeUndefined();
  });

  it('are of each key by itself, and one that was counted in error is taken back', () => {
    const limit = new Limit('address', 1);
    expect([limit.allows('one'), limit.allows('other'), limit.allows('one')]).toEqual([
      true,
      true,
      false,
    ]);
    limit.takeBack('other');
    limit.takeBack('nobody');
    expect([limit.allows('other'), limit.allows('other')]).toEqual([true, false]);
  });

  it('none at all is a limit, too', () => {
    expect(new Limit('address', 0).allows('one')).toBe(false);
  });

  it('take no more memory however many keys there are: whoever asks often is not forgotten', () => {
    const limit = new Limit('address', 2);
    limit.allows('once');
    for (let key = 0; key < 30_000; key += 1) {
      limit.allows(String(key));
      if (key % 1000 === 0) limit.allows('often');
    }
    expect(limit.allows('often')).toBe(false);
    expect([limit.allows('once'), limit.allows('once'), limit.allows('once')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
