import { parseArgs } from 'node:util';
import { parseMerchantsSettings } from '../config.js';
import { AppError } from '../errors.js';
import { MerchantEntries, SECRET_KINDS, type SecretKind } from '../merchants/merchant-entries.js';
import { isWrittenPrivate } from '../provider/shop-client.js';

export const MERCHANTS_USAGE = `Usage:
  pay-session-server merchants list                 list the merchants
  pay-session-server merchants show <id>            print an entry, without its secrets
  pay-session-server merchants add <id>             add a merchant, and print its secrets, once
      --name <text>  --provider-merchant-id <number>  --origin <origin>…  --return-url <address>
      --like <id>                                   takes over sdk, currency, split and whatever
                                                    is not the shop's own from this merchant
      [--sdk <JSON file>] [--currency <code>] [--decimals <number>] [--account <name>]
      [--events-url <address>] [--order-lookup-url <address>]
  pay-session-server merchants rotate <id> api-key | order-token-secret | signing-secret
                                                    add a new value, and print it, once; the old
                                                    one stays valid
  pay-session-server merchants rotate <id> … --retire
                                                    remove all values but the newest
  pay-session-server merchants disable <id>         take no new payments; pending ones continue
  pay-session-server merchants enable <id>          take payments again
With --json each prints JSON. The file is that of PAY_MERCHANTS_FILE; a running server reads it
within seconds. PAY_ENVIRONMENT says what it is checked for.
Exit codes: 0 done, 1 refused, 2 wrong use.
`;

/**
 * `pay-session-server merchants …`, with or without a running server.
 *
 * @returns the lines to print
 * @throws {AppError} 400 when the words are not those of {@link MERCHANTS_USAGE}
 * @throws {ConfigError} when the file is not valid, or would not be
 */
export function runMerchants(
  env: Readonly<Record<string, string | undefined>>,
  words: readonly string[],
): string[] {
  const { values, positionals } = parseWords(words);
  const [verb = '', id = '', kind = ''] = positionals;
  const settings = parseMerchantsSettings(env);
  const entries = new MerchantEntries(settings);
  const given = Object.keys(values).filter((name) => name !== 'json');
  const takes = (count: number, ...options: string[]): boolean =>
    positionals.length === count && given.every((name) => options.includes(name));
  const print = (result: object, ...lines: string[]): string[] =>
    values.json === true ? [JSON.stringify({ merchant: id, ...result })] : lines;

  if (verb === 'list' && takes(1)) return list(entries, values.json === true);
  if (verb === 'show' && takes(2)) return [JSON.stringify(entries.find(id), undefined, 2)];
  if (verb === 'add' && takes(2, ...Object.keys(ADD_OPTIONS))) {
    const secrets = entries.add({
      id,
      name: values.name,
      account: values.account,
      providerMerchantId: values['provider-merchant-id'],
      currency: values.currency,
      decimals: values.decimals,
      origins: values.origin,
      returnUrl: values['return-url'],
      orderLookupUrl: values['order-lookup-url'],
      eventsUrl: values['events-url'],
      sdk: values.sdk,
      like: values.like,
    });
    const warnings = warnIfPrivate({
      events: values['events-url'],
      orderLookup: values['order-lookup-url'],
    });
    return print(
      { secrets, ...(warnings.length > 0 && { warnings }) },
      `Merchant ${id} is added to ${settings.file}.`,
      ...warnings.map((warning) => `warning: ${warning}`),
      'Give the shop these secrets. They are not shown again:',
      ...Object.entries(secrets).map(([name, secret]) => `  ${name.padEnd(18)}  ${secret}`),
    );
  }
  if (verb === 'rotate' && takes(3, 'retire') && isSecretKind(kind)) {
    if (values.retire === true) {
      const retired = entries.retire(id, kind);
      const line = `Merchant ${id}: ${String(retired)} of ${kind} removed; the newest stays valid.`;
      return print({ kind, retired }, line);
    }
    const secret = entries.rotate(id, kind);
    return print(
      { secrets: { [kind]: secret } },
      `Merchant ${id} has a new ${kind}. It is not shown again:`,
      `  ${secret}`,
      'The old one stays valid. When the shop no longer uses it:',
      `  pay-session-server merchants rotate ${id} ${kind} --retire`,
    );
  }
  if ((verb === 'disable' || verb === 'enable') && takes(2)) {
    const disabled = verb === 'disable';
    entries.setDisabled(id, disabled);
    const line = disabled
      ? `Merchant ${id} takes no new payments. Pending ones are still confirmed.`
      : `Merchant ${id} takes payments.`;
    return print({ disabled }, line);
  }
  throw wrongUse();
}

const ADD_OPTIONS = {
  name: { type: 'string' },
  'provider-merchant-id': { type: 'string' },
  origin: { type: 'string', multiple: true },
  'return-url': { type: 'string' },
  like: { type: 'string' },
  sdk: { type: 'string' },
  currency: { type: 'string' },
  decimals: { type: 'string' },
  account: { type: 'string' },
  'events-url': { type: 'string' },
  'order-lookup-url': { type: 'string' },
} as const;

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: { json: { type: 'boolean' }, retire: { type: 'boolean' }, ...ADD_OPTIONS },
      allowPositionals: true,
    });
  } catch (error) {
    throw wrongUse(error);
  }
}

function wrongUse(cause?: unknown): AppError {
  const text = `expected the words of: pay-session-server merchants --help`;
  return new AppError(400, 'invalid_request', text, { cause });
}

function isSecretKind(word: string): word is SecretKind {
  return Object.hasOwn(SECRET_KINDS, word);
}

/** Which addresses of an entry the server will not connect to. */
function warnIfPrivate(urls: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(urls)
    .filter(([, url]) => url !== undefined && isWrittenPrivate(url))
    .map(
      ([field]) =>
        `${field}.url is a private address, to which the server does not connect; if this is intended, set "allowPrivateAddress": true in ${field} of the entry`,
    );
}

function list(entries: MerchantEntries, isJson: boolean): string[] {
  const rows = entries.all().map((merchant) => ({
    id: merchant.id,
    name: merchant.name,
    account: merchant.account,
    providerMerchantId: merchant.providerMerchantId,
    currency: merchant.currency,
    orders: merchant.orderLookup ? 'lookup' : 'api',
    state: merchant.disabled ? 'disabled' : 'active',
  }));
  if (isJson) return [JSON.stringify(rows, undefined, 2)];
  const head = ['id', 'name', 'account', 'provider id', 'currency', 'orders', 'state'];
  const table = [head, ...rows.map((row) => Object.values(row).map(printable))];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Names are untrusted input: their control characters must not reach the terminal. */
function printable(value: string | number): string {
  return String(value).replace(/\p{C}/gu, '?');
}
