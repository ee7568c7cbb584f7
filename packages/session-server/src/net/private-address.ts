import { type LookupAddress, lookup as lookupHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Thrown instead of connecting to an address inside our own network. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor() {
    super(
      'the address leads into a private network; set allowPrivateAddress on the merchant entry if that is meant',
    );
  }
}

/** Whether an IP address is reachable by the public internet, and not loopback, private or special. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}

/**
 * A host look-up for sockets that refuses private addresses. It judges the very address that the
 * socket then connects to, so a name that answers differently the second time gains nothing.
 */
export const lookupPublicOnly: LookupFunction = (hostname, options, callback) => {
  lookupHost(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) {
      callback(error, []);
      return;
    }
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      callback(new PrivateAddressError(), []);
      return;
    }
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  });
};
