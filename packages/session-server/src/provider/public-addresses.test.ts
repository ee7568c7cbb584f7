import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestNameServer } from '../testing/test-name-server.js';
import { PrivateAddressError } from './private-address.js';
import { publicAddressFinder } from './public-addresses.js';

const OPEN = new AbortController().signal;

let nameServer: TestNameServer;
beforeEach(async () => {
  nameServer = await TestNameServer.start();
});
afterEach(() => nameServer.close());

/** Asks the name server of the test for both kinds of addresses. */
function find(name: string, signal = OPEN) {
  return publicAddressFinder({ servers: [nameServer.address], families: [4, 6] })(name, signal);
}

describe('the addresses of a shop', () => {
  it('are all that the name servers know, of both kinds', async () => {
    nameServer.names.set('shop.example', ['51.0.0.1', '51.0.0.2', '2a00::1']);
    expect(await find('shop.example')).toEqual([
      { address: '51.0.0.1', family: 4 },
      { address: '51.0.0.2', family: 4 },
      { address: '2a00::1', family: 6 },
    ]);
    expect(nameServer.asked.toSorted()).toEqual(['A shop.example', 'AAAA shop.example']);
    expect(getEventListeners(OPEN, 'abort')).toEqual([]);
  });

  it.each([[['51.0.0.1']], [['2a00::1']]])('may be of one kind: %j', async (addresses) => {
    nameServer.names.set('shop.example', addresses);
    expect((await find('shop.example')).map(({ address }) => address)).toEqual(addresses);
  });

  it.each([
    [['127.0.0.1']],
    [['10.0.0.1']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['51.0.0.1', '10.0.0.1']],
    [['51.0.0.1', 'fd00::1']],
    [['169.254.169.254', '2a00::1']],
  ])('are refused when one of them is private: %j', async (addresses) => {
    nameServer.names.set('shop.example', addresses);
    await expect(find('shop.example')).rejects.toThrow(PrivateAddressError);
  });

  it('are judged anew each time, so a name that turns private is refused', async () => {
    nameServer.names.set('shop.example', ['51.0.0.1']);
    expect(await find('shop.example')).toHaveLength(1);
    nameServer.names.set('shop.example', ['127.0.0.1']);
    await expect(find('shop.example')).rejects.toThrow(PrivateAddressError);
  });

  it('are those of the hosts file, where the name is in it: no name server is asked', async () => {
    nameServer.names.set('localhost', ['51.0.0.1']);
    await expect(find('localhost')).rejects.toThrow(PrivateAddressError);
    await expect(find('LOCALHOST')).rejects.toThrow(PrivateAddressError);
    expect(nameServer.asked).toEqual([]);
  });

  it('are the address itself, where the name is one', async () => {
    expect(await find('51.0.0.1')).toEqual([{ address: '51.0.0.1', family: 4 }]);
    await expect(find('127.0.0.1')).rejects.toThrow(PrivateAddressError);
    expect(nameServer.asked).toEqual([]);
  });

  it('are not there when the name does not exist, or has none', async () => {
    await expect(find('no-such-shop.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    nameServer.names.set('mail-only.example', []);
    await expect(find('mail-only.example')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('are asked of another name server when the first one does not answer', async () => {
    nameServer.names.set('shop.example', ['51.0.0.1']);
    const dead = await TestNameServer.start();
    dead.silent.add('shop.example');
    const ask = publicAddressFinder({ servers: [dead.address, nameServer.address], families: [4] });
    expect(await ask('shop.example', OPEN)).toHaveLength(1);
    expect(dead.asked).toEqual(['A shop.example']);
    await dead.close();
  });

  it('are given up after three seconds, when the only name server says nothing', async () => {
    nameServer.silent.add('shop.example');
    await expect(find('shop.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(nameServer.asked).toHaveLength(4);
  });

  it('are not waited for any more when nobody wants them', async () => {
    nameServer.silent.add('shop.example');
    const stop = new AbortController();
    const asked = find('shop.example', stop.signal);
    await expect.poll(() => nameServer.asked.length).toBe(2);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'ECANCELLED' });
  });
});
