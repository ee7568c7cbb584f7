import { InvalidRequestError } from '../../errors.js';
import { Addresses, type AddressOptions } from '../../http/addresses.js';
import { OPERATIONS, type BaseName, type OperationFacts } from '../../http/operation-facts.js';
import { fail, ok, skip, warn, type Finding } from './finding.js';

const FLAGS: Readonly<Record<BaseName, string>> = {
  api: '--base-url',
  merchants: '--merchants-base-url',
  transfers: '--transfers-base-url',
};

/** Shows where every operation goes, and what is odd about it. Nothing is sent. */
export function checkAddresses(options: AddressOptions): Finding[] {
  const addresses = new Addresses(options);
  return Object.values(OPERATIONS).map((operation: OperationFacts) => {
    const check = `address of ${operation.name}`;
    try {
      return judge(check, operation, addresses.urlOf(operation), addresses, options);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      const fix = `Give ${FLAGS[operation.base]} if you use it.`;
      return skip(check, error.message.replace(/^[\w.]+: \w+ /, 'the address '), fix);
    }
  });
}

/** The host of each base address that is set, once. */
export function listHosts(options: AddressOptions): URL[] {
  const addresses = new Addresses(options);
  const bases = (['api', 'merchants', 'transfers'] as const).map((base) => addresses.textOf(base));
  const origins = bases.filter((base) => base !== '').map((base) => new URL(base).origin);
  return [...new Set(origins)].map((origin) => new URL(origin));
}

function judge(
  check: string,
  { base, path }: OperationFacts,
  url: URL,
  addresses: Addresses,
  { environment }: AddressOptions,
): Finding {
  const flag = FLAGS[base];
  const prefix = new URL(addresses.textOf(base)).pathname.replace(/\/+$/, '');
  const detail = decodeURI(url.href);
  const [first = ''] = path;
  if (prefix.split('/').includes(first)) {
    return fail(check, detail, `Take /${first} out of ${flag}: the operation brings it.`);
  }
  if (base === 'merchants' && prefix === '') {
    const fix = `The merchants interface ends in a path prefix (section 4.3): is it in ${flag}?`;
    return warn(check, detail, fix);
  }
  const isLocal = /^(localhost|127\.|\[::1\])|\.localhost$/.test(url.hostname);
  if (url.protocol === 'http:' && (environment === 'production' || !isLocal)) {
    return fail(
      check,
      detail,
      `Use https in ${flag}: the key would go over the line in the clear.`,
    );
  }
  return ok(check, detail);
}
