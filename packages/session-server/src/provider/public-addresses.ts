import { type LookupAddress, promises } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPublicAddress, PrivateAddressError } from './private-address.js';
import type { AskForAddresses } from './shared-lookup.js';

/** A name server that says nothing is asked again after a second, and given up two seconds later. */
const PATIENCE = { timeout: 1000, tries: 2 };
const HOSTS_FILE = '/etc/hosts';

/** How the name servers are asked. */
export interface NameServerOptions {
  /** Their addresses. Default: those of the system. */
  readonly servers?: readonly string[];
  /** The kinds of addresses that are asked for. Default: those that this machine has itself. */
  readonly families?: readonly (4 | 6)[];
}

/**
 * Finds the addresses of a shop, and refuses them all when one is private. Sockets connect to the very
 * addresses that were judged, so a name that answers differently the second time gains nothing.
 *
 * The name servers are asked directly: `dns.lookup` has the system ask them, in a thread that nobody
 * can call back, and of such threads there are two in a process. Two shops whose name servers are dead
 * would hold up every other look-up. Of what else the system knows, only its hosts file is read:
 * search domains and the like lead to names of our own network.
 */
export function publicAddressFinder(options: NameServerOptions = {}): AskForAddresses {
  return async (name, signal) => {
    const addresses = await findAddresses(name, signal, options);
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      throw new PrivateAddressError();
    }
    return addresses;
  };
}

async function findAddresses(
  name: string,
  signal: AbortSignal,
  options: NameServerOptions,
): Promise<LookupAddress[]> {
  const family = isIP(name);
  if (family !== 0) return [{ address: name, family }];
  const noted = await readHostsFile(name);
  return noted.length > 0 ? noted : askNameServers(name, signal, options);
}

/** The system looks there before it asks a name server. */
async function readHostsFile(name: string): Promise<LookupAddress[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.includes(name.toLowerCase()) ? [{ address, family }] : [];
  });
}

async function askNameServers(
  name: string,
  signal: AbortSignal,
  { servers, families = ownFamilies() }: NameServerOptions,
): Promise<LookupAddress[]> {
  signal.throwIfAborted();
  // One for each question: it can be called back alone, and knows the name servers of this moment.
  const resolver = new promises.Resolver(PATIENCE);
  if (servers) resolver.setServers(servers);
  const cancel = (): void => {
    resolver.cancel();
  };
  signal.addEventListener('abort', cancel);
  const answers = await Promise.allSettled(
    families.map(async (family) => {
      const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      return addresses.map((address) => ({ address, family }));
    }),
  );
  signal.removeEventListener('abort', cancel);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (found.length === 0) throw failure?.reason;
  return found;
}

/**
 * IPv6 only where this machine has an address of it: a socket gives each address a moment, and one
 * that it cannot reach at all would cut the time of the others.
 */
function ownFamilies(): (4 | 6)[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !address.startsWith('fe80:')),
  );
  const hasIpv4 = own.some(({ family }) => family === 'IPv4');
  const hasIpv6 = own.some(({ family }) => family === 'IPv6');
  if (hasIpv4 === hasIpv6) return [4, 6];
  return hasIpv4 ? [4] : [6];
}
