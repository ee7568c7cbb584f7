import { describe, expect, it } from 'vitest';
import { isPublicAddress, lookupPublicOnly, PrivateAddressError } from './private-address.js';

describe('an address', () => {
  it.each(['51.0.0.1', '200.1.2.3', '2a00::1', '::ffff:51.0.0.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'not an address',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a host look-up for public addresses only', () => {
  it.each([true, false])('refuses a name that leads to this machine (all: %s)', async (all) => {
    const error = await new Promise<unknown>((resolve) => {
      lookupPublicOnly('localhost', { all }, resolve);
    });
    expect(error).toBeInstanceOf(PrivateAddressError);
  });

  it.each([true, false])('gives a public address in the form asked for (all: %s)', async (all) => {
    // An address looked up is that address: no name server is asked.
    const answer = await new Promise<unknown[]>((resolve) => {
      lookupPublicOnly('51.0.0.1', { all }, (...values) => {
        resolve(values);
      });
    });
    expect(answer).toEqual(
      all ? [null, [{ address: '51.0.0.1', family: 4 }]] : [null, '51.0.0.1', 4],
    );
  });

  it('passes on that a name is unknown', async () => {
    const error = await new Promise<unknown>((resolve) => {
      lookupPublicOnly('no-such-host.invalid', {}, resolve);
    });
    expect(error).toMatchObject({ code: expect.stringMatching(/^E/) as string });
  });
});
