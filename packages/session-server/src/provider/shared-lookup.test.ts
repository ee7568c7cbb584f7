import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestNameServer } from '../testing/test-name-server.js';
import { publicAddressFinder } from './public-addresses.js';
import { SharedLookup } from './shared-lookup.js';

let nameServer: TestNameServer;
let shared: SharedLookup;
beforeEach(async () => {
  nameServer = await TestNameServer.start();
  shared = sharedLookup();
});
afterEach(async () => {
  shared.close();
  await nameServer.close();
});

function sharedLookup(failureMs?: number): SharedLookup {
  const ask = publicAddressFinder({ servers: [nameServer.address], families: [4] });
  return new SharedLookup(ask, failureMs);
}

/** Looks a name up as a socket does: resolves with what its callback is given. */
function lookUp(name: string, { all = true, from = shared } = {}): Promise<unknown[]> {
  return new Promise((resolve) => {
    from.lookup(name, { all }, (...values) => {
      resolve(values);
    });
  });
}

async function errorCodeOf(lookedUp: Promise<unknown[]>): Promise<string | undefined> {
  const [error] = await lookedUp;
  return (error as NodeJS.ErrnoException | null)?.code;
}

describe('a host look-up', () => {
  it.each([
    [true, [null, [{ address: '51.0.0.1', family: 4 }]]],
    [false, [null, '51.0.0.1', 4]],
  ])('answers in the form asked for (all: %s)', async (all, answer) => {
    nameServer.names.set('shop.example', ['51.0.0.1']);
    expect(await lookUp('shop.example', { all })).toEqual(answer);
  });

  it('asks for a name once, for all who wait for it, and answers other names meanwhile', async () => {
    nameServer.silent.add('dead.example');
    nameServer.names.set('shop.example', ['51.0.0.1']);
    const waiting = Array.from({ length: 100 }, () => lookUp('dead.example'));
    await expect.poll(() => nameServer.asked).toEqual(['A dead.example']);
    const [, addresses] = await lookUp('shop.example');
    expect(addresses).toEqual([{ address: '51.0.0.1', family: 4 }] satisfies LookupAddress[]);
    expect(nameServer.asked).toEqual(['A dead.example', 'A shop.example']);
    shared.close();
    expect(await Promise.all(waiting.map(errorCodeOf))).toEqual(waiting.map(() => 'ECANCELLED'));
  });

  it('remembers for a moment that a name could not be polled up', async () => {
    expect(await errorCodeOf(lookUp('shop.example'))).toBe('ENOTFOUND');
    nameServer.names.set('shop.example', ['51.0.0.1']);
    expect(await errorCodeOf(lookUp('shop.example'))).toBe('ENOTFOUND');
    expect(nameServer.asked).toHaveLength(1);
  });

  it('asks again when that moment is over', async () => {
    const from = sharedLookup(10);
    expect(await errorCodeOf(lookUp('shop.example', { from }))).toBe('ENOTFOUND');
    nameServer.names.set('shop.example', ['51.0.0.1']);
    await expect.poll(() => errorCodeOf(lookUp('shop.example', { from }))).toBeUndefined();
  });

  it('does not remember where a shop was: it may have moved', async () => {
    nameServer.names.set('shop.example', ['51.0.0.1']);
    await lookUp('shop.example');
    nameServer.names.set('shop.example', ['51.0.0.2']);
    expect(await lookUp('shop.example', { all: false })).toEqual([null, '51.0.0.2', 4]);
  });
});
