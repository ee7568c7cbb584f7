import { FetchTransport } from './fetch-transport.js';
import type { Transport } from './transport.js';

/**
 * `node:http` where there is Node, else `fetch`. The Node transport is loaded with the first
 * request, so that the package can be imported where `node:http` does not exist.
 */
export function createDefaultTransport(): Transport {
  if (typeof process === 'undefined' || process.versions?.node === undefined) {
    return new FetchTransport();
  }
  let loading: Promise<Transport> | undefined;
  let loaded: Transport | undefined;
  const load = async (): Promise<Transport> => {
    const { NodeTransport } = await import('./node-transport.js');
    return (loaded = new NodeTransport());
  };
  return {
    send: async (request) => (loaded ?? (await (loading ??= load()))).send(request),
    close: () => loaded?.close?.(),
  };
}
