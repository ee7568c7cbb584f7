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
