import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseMerchantsSettings } from '../config.js';
import { AppError, ConfigError, describeFileError } from '../errors.js';
import { type Edit, editMerchantsFile } from '../merchants/edit-merchants-file.js';
import type { Merchant } from '../merchants/merchant.js';
import { readMerchantsFile } from '../merchants/merchant-source.js';
import { mapSecrets, readReference } from '../merchants/secret-references.js';
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

type Env = Readonly<Record<string, string | undefined>>;

/** The kinds of secrets of an entry: the field of each, what is stored of a new one, and how it is made. */
const SECRET_KINDS = {
  'api-key': {
    field: 'apiKeyHash',
    make: () => randomBytes(32).toString('base64url'),
    store: (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`,
  },
  'order-token-secret': {
    field: 'orderTokenSecret',
    make: () => randomBytes(32).toString('hex'),
    store: (secret: string) => secret,
  },
  'signing-secret': {
    field: 'signingSecret',
    make: () => `whsec_${randomBytes(32).toString('base64')}`,
    store: (secret: string) => secret,
  },
} as const;

type SecretKind = keyof typeof SECRET_KINDS;

/** Fields that a merchant does not take over from another one. */
const OWN_FIELDS = [
  ...['id', 'name', 'brand', 'disabled', 'providerMerchantId', 'origins', 'returnUrl'],
  ...['orderLookup', 'events', 'apiKeyHash', 'orderTokenSecret', 'signingSecret'],
];

/** Fields that a merchant does not take over from one with another currency. */
const CURRENCY_FIELDS = ['decimals', 'customCurrency'];

/**
 * `pay-session-server merchants …`, with or without a running server.
 *
 * @returns the lines to print
 * @throws {AppError} 400 when the words are not those of {@link MERCHANTS_USAGE}
 * @throws {ConfigError} when the file is not valid, or would not be
 */
export function runMerchants(env: Env, words: readonly string[]): string[] {
  const { values, positionals } = parseWords(words);
  const [verb = '', id = '', kind = ''] = positionals;
  const isJson = values.json === true;
  const settings = parseMerchantsSettings(env);
  const given = Object.keys(values).filter((name) => name !== 'json');
  const takes = (count: number, ...options: string[]): boolean =>
    positionals.length === count && given.every((name) => options.includes(name));

  if (verb === 'list' && takes(1)) return list(settings, isJson);
  if (verb === 'show' && takes(2)) return show(settings, id);
  if (verb === 'add' && takes(2, ...Object.keys(ADD_OPTIONS))) {
    return add(settings, id, values, isJson);
  }
  if (verb === 'rotate' && takes(3, 'retire') && isSecretKind(kind)) {
    return values.retire === true
      ? retire(settings, id, kind, isJson)
      : rotate(settings, id, kind, isJson);
  }
  if ((verb === 'disable' || verb === 'enable') && takes(2)) {
    return setDisabled(settings, id, verb === 'disable', isJson);
  }
  throw wrongUse();
}

type Settings = ReturnType<typeof parseMerchantsSettings>;

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

function list({ file, environment }: Settings, isJson: boolean): string[] {
  const merchants = [...readMerchantsFile(file, environment).merchants.values()];
  const rows = merchants.map((merchant) => ({
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

/** The entry as it is in the file, with what must not be seen masked. */
function show({ file, environment }: Settings, id: string): string[] {
  readMerchantsFile(file, environment);
  const content = mapSecrets(
    JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')),
    (secret) => readReference(secret) ?? '[secret]',
  ) as { merchants: Record<string, unknown>[] };
  const entry = content.merchants[indexOf(content, id)];
  return [JSON.stringify(entry, maskOthers, 2)];
}

/** Hashes of keys are shortened, and passwords in addresses hidden. */
function maskOthers(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return `${value.slice(0, 15)}…`;
  if (!URL.canParse(value) || new URL(value).password === '') return value;
  return value.replace(/\/\/[^/]*@/, '//***@');
}

function indexOf({ merchants }: { merchants: Record<string, unknown>[] }, id: string): number {
  const index = merchants.findIndex((entry) => entry['id'] === id);
  if (index === -1) throw new ConfigError('merchants file', [`there is no merchant "${id}"`]);
  return index;
}

function add(
  { file, environment }: Settings,
  id: string,
  values: ReturnType<typeof parseWords>['values'],
  isJson: boolean,
): string[] {
  const kinds: SecretKind[] = ['api-key', 'signing-secret'];
  if (values['order-lookup-url'] !== undefined) kinds.push('order-token-secret');
  const secrets = kinds.map((kind) => [kind, SECRET_KINDS[kind].make()] as const);
  editMerchantsFile(file, environment, (content) => {
    const entry = {
      id,
      name: values.name,
      account: values.account,
      providerMerchantId: toNumber(values['provider-merchant-id']),
      currency: values.currency,
      decimals: toNumber(values.decimals),
      origins: values.origin,
      returnUrl: values['return-url'],
      orderLookup: values['order-lookup-url'] && { url: values['order-lookup-url'] },
      events: values['events-url'] && { url: values['events-url'] },
      sdk: values.sdk === undefined ? undefined : readJson(values.sdk),
    };
    const model = values.like === undefined ? {} : content.merchants[indexOf(content, values.like)];
    const own = isOtherCurrency(values.currency, model)
      ? [...OWN_FIELDS, ...CURRENCY_FIELDS]
      : OWN_FIELDS;
    const shared = Object.entries(model ?? {}).filter(([name]) => !own.includes(name));
    const stored = secrets.map(([kind, secret]) => {
      const { field, store } = SECRET_KINDS[kind];
      return [field, [store(secret)]];
    });
    const given = Object.entries(entry).filter(([, value]) => value !== undefined);
    const value = Object.fromEntries([
      ...given.filter(([name]) => name !== 'sdk'),
      ...shared.filter(([name]) => !given.some(([own]) => own === name)),
      ...given.filter(([name]) => name === 'sdk'),
      ...stored,
    ]) as unknown;
    return [{ path: ['merchants', content.merchants.length], value, isInsertion: true }];
  });
  const warnings = [
    ['events', values['events-url']] as const,
    ['orderLookup', values['order-lookup-url']] as const,
  ].flatMap(([field, url]) =>
    url !== undefined && isWrittenPrivate(url)
      ? [
          `${field}.url is a private address, to which the server does not connect; if this is intended, set "allowPrivateAddress": true in ${field} of the entry`,
        ]
      : [],
  );
  if (isJson) {
    const more = warnings.length > 0 ? { warnings } : {};
    return [JSON.stringify({ merchant: id, secrets: Object.fromEntries(secrets), ...more })];
  }
  return [
    `Merchant ${id} is added to ${file}.`,
    ...warnings.map((warning) => `warning: ${warning}`),
    'Give the shop these secrets. They are not shown again:',
    ...secrets.map(([kind, secret]) => `  ${kind.padEnd(18)}  ${secret}`),
  ];
}

/** @throws {ConfigError} when the model's split has amounts: they would be read in the other currency */
function isOtherCurrency(currency: string | undefined, model?: Record<string, unknown>): boolean {
  if (currency === undefined || !model || currency === model['currency']) return false;
  const { split = [] } = model as { split?: readonly object[] };
  const hasAmounts = split.some((rule) =>
    ['fixed', 'min', 'cap'].some((name) => Object.hasOwn(rule, name)),
  );
  if (!hasAmounts) return true;
  throw new ConfigError(`--like ${String(model['id'])}`, [
    `its split has amounts in ${String(model['currency'])} (fixed, min or cap), which are not amounts in ${currency}; name a merchant with this currency, or give --sdk and add the split to the entry yourself`,
  ]);
}

/** As a number if it is one; the schema reports anything else that is wrong with it. */
function toNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--sdk ${path}`, [describeFileError(error)]);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`--sdk ${path}`, ['it is not JSON']);
  }
}

/** The values of a kind of secret in an entry, newest first. */
function valuesOf(entry: Record<string, unknown> | undefined, kind: SecretKind): unknown[] {
  return (entry?.[SECRET_KINDS[kind].field] ?? []) as unknown[];
}

function rotate(
  { file, environment }: Settings,
  id: string,
  kind: SecretKind,
  isJson: boolean,
): string[] {
  const { field, make, store } = SECRET_KINDS[kind];
  const secret = make();
  editMerchantsFile(file, environment, (content): readonly Edit[] => {
    const index = indexOf(content, id);
    const known = valuesOf(content.merchants[index], kind);
    if (known.some((value) => typeof value === 'object')) {
      const why = `${field} of ${id} is kept elsewhere: add the new value there, and its reference in front`;
      throw new ConfigError('merchants file', [why]);
    }
    return known.length === 0
      ? [{ path: ['merchants', index, field], value: [store(secret)] }]
      : [{ path: ['merchants', index, field, 0], value: store(secret), isInsertion: true }];
  });
  if (isJson) return [JSON.stringify({ merchant: id, secrets: { [kind]: secret } })];
  return [
    `Merchant ${id} has a new ${kind}. It is not shown again:`,
    `  ${secret}`,
    'The old one stays valid. When the shop no longer uses it:',
    `  pay-session-server merchants rotate ${id} ${kind} --retire`,
  ];
}

function retire(
  { file, environment }: Settings,
  id: string,
  kind: SecretKind,
  isJson: boolean,
): string[] {
  const { field } = SECRET_KINDS[kind];
  let retired = 0;
  editMerchantsFile(file, environment, (content) => {
    const index = indexOf(content, id);
    const [, ...old] = valuesOf(content.merchants[index], kind);
    if (old.length === 0) {
      throw new ConfigError('merchants file', [`${id} has one ${kind}; rotate it first`]);
    }
    retired = old.length;
    return old.map(() => ({ path: ['merchants', index, field, 1], value: undefined }));
  });
  return isJson
    ? [JSON.stringify({ merchant: id, kind, retired })]
    : [`Merchant ${id}: ${String(retired)} of ${kind} removed; the newest stays valid.`];
}

function setDisabled(
  { file, environment }: Settings,
  id: string,
  disabled: boolean,
  isJson: boolean,
): string[] {
  editMerchantsFile(file, environment, (content) => [
    {
      path: ['merchants', indexOf(content, id), 'disabled' satisfies keyof Merchant],
      value: disabled ? true : undefined,
      after: 'id',
    },
  ]);
  if (isJson) return [JSON.stringify({ merchant: id, disabled })];
  return disabled
    ? [`Merchant ${id} takes no new payments. Pending ones are still confirmed.`]
    : [`Merchant ${id} takes payments.`];
}
