import type { DnsLookup } from '../provider/shop-client.js';

/** Resolves host names for a test, in the place of `dns.lookup`. */
export class TestDns {
  readonly names = new Map<string, readonly string[]>();
  /** What a name resolves to from its second lookup on. */
  readonly later = new Map<string, readonly string[]>();
  /** Names whose lookup never ends. */
  readonly silent = new Set<string>();

  readonly lookup: DnsLookup = (name, _options, callback) => {
    if (this.silent.has(name)) return;
    const addresses = this.names.get(name) ?? [];
    const later = this.later.get(name);
    if (later) this.names.set(name, later);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}
