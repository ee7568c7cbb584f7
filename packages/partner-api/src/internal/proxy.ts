import type { Agent, AgentOptions } from 'node:http';

import { InvalidRequestError } from '../errors.js';
import { http } from './node-http.js';

/** The environment of a proxy: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in either case. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/**
 * What agents need to use proxies: those that were given, else those that Node itself was told to
 * use (`NODE_USE_ENV_PROXY=1` or `--use-env-proxy`), which its own agent carries. Agents of ours
 * would otherwise pass them by. Node 22.21, 24.5 and later know proxies.
 */
export function readProxyOptions(given: ProxyEnv | undefined): Pick<AgentOptions, 'proxyEnv'> {
  if (given !== undefined && !knowsProxies(process.versions.node)) {
    throw new Error('proxyEnv needs Node 22.21, 24.5 or later: this one would pass the proxy by');
  }
  if (given !== undefined) checkAddresses(given);
  const found = given ?? (http.globalAgent as Agent & { options: AgentOptions }).options.proxyEnv;
  if (found === undefined) return {};
  const chosen = NAMES.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]]));
  return { proxyEnv: Object.fromEntries(chosen) as Record<string, string> };
}

/** Node tells no agent that it cannot use a proxy: it goes without. */
function checkAddresses(env: ProxyEnv): void {
  for (const name of NAMES.filter((one) => !/^no_proxy$/i.test(one))) {
    const text = env[name] ?? '';
    if (text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text))) continue;
    const advice = 'must be an address such as http://proxy.example:8080';
    throw new InvalidRequestError(`proxyEnv.${name}`, advice, 'new NodeTransport');
  }
}

/** Whether agents of this version of Node take `proxyEnv`. */
export function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}
