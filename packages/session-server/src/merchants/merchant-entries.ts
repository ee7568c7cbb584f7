import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../contract.js';
import { ConfigError, describeFileError } from '../errors.js';
import { type Edit, editMerchantsFile } from './edit-merchants-file.js';
import { OWN_FIELDS, partPaths } from './file-parts.js';
import type { Merchant } from './merchant.js';
import { readMerchantsFile } from './merchant-source.js';
import { mapSecrets, readReference } from './secret-references.js';

/** The kinds of secrets of an entry: the field of each, what is stored of a new one, and how it is made. */
export const SECRET_KINDS = {
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

export type SecretKind = keyof typeof SECRET_KINDS;

/** Fields that a merchant does not take over from one with another currency. */
const CURRENCY_FIELDS = ['decimals', 'customCurrency'];

/** A new merchant, as its fields are given; the schema says what is wrong with them. */
export interface NewMerchant {
  readonly id: string;
  readonly name?: string | undefined;
  readonly account?: string | undefined;
  readonly providerMerchantId?: string | undefined;
  readonly currency?: string | undefined;
  readonly decimals?: string | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly returnUrl?: string | undefined;
  readonly orderLookupUrl?: string | undefined;
  readonly eventsUrl?: string | undefined;
  /** A JSON file. */
  readonly sdk?: string | undefined;
  /** The merchant from which it takes over whatever is not the shop's own. */
  readonly like?: string | undefined;
}

/** Reads and changes the entries of a merchants file. Each method throws a {@link ConfigError} when the file is not valid, or would not be. */
export class MerchantEntries {
  readonly #file: string;
  readonly #environment: Environment;

  constructor({ file, environment }: { readonly file: string; readonly environment: Environment }) {
    this.#file = file;
    this.#environment = environment;
  }

  all(): Merchant[] {
    return [...readMerchantsFile(this.#file, this.#environment).merchants.values()];
  }

  /** An entry as it is in the file, with its secrets masked. */
  find(id: string): unknown {
    readMerchantsFile(this.#file, this.#environment);
    const entries = partPaths(this.#file).flatMap((path) => {
      const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
      const secretless = mapSecrets(
        JSON.parse(text),
        (secret) => readReference(secret) ?? '[secret]',
      ) as Partial<MerchantsContent>;
      return secretless.merchants ?? [];
    });
    const entry = entries[indexOf({ merchants: entries }, id)];
    return JSON.parse(JSON.stringify(entry, maskOthers));
  }

  /** Answers its new secrets by kind. */
  add(merchant: NewMerchant): Readonly<Record<string, string>> {
    const { like, orderLookupUrl } = merchant;
    const kinds: SecretKind[] = ['api-key', 'signing-secret'];
    if (orderLookupUrl !== undefined) kinds.push('order-token-secret');
    const secrets = kinds.map((kind) => [kind, SECRET_KINDS[kind].make()] as const);
    this.#edit((content) => {
      const model = like === undefined ? undefined : content.merchants[indexOf(content, like)];
      const stored = secrets.map(([kind, secret]) => {
        const { field, store } = SECRET_KINDS[kind];
        return [field, [store(secret)]];
      });
      const value = { ...entryOf(merchant, model), ...(Object.fromEntries(stored) as object) };
      return [{ path: ['merchants', content.merchants.length], value, isInsertion: true }];
    });
    return Object.fromEntries(secrets);
  }

  /** Whether this process can change the values: the file and its folder can be written to, and hold them. */
  canRotate(id: string, kind: SecretKind): boolean {
    try {
      const path = realpathSync(this.#file);
      for (const each of [path, dirname(path)]) accessSync(each, constants.W_OK);
      const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
      const { merchants } = JSON.parse(text) as MerchantsContent;
      const entry = merchants.find((one) => one['id'] === id);
      return entry !== undefined && !valuesOf(entry, kind).some((v) => typeof v === 'object');
    } catch {
      return false;
    }
  }

  /** Adds a new value, and answers it; the old ones stay valid. */
  rotate(id: string, kind: SecretKind): string {
    const { field, make, store } = SECRET_KINDS[kind];
    const secret = make();
    this.#edit((content) => {
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
    return secret;
  }

  /** Removes all values but the newest; answers how many. */
  retire(id: string, kind: SecretKind): number {
    let retired = 0;
    this.#edit((content) => {
      const index = indexOf(content, id);
      const [, ...old] = valuesOf(content.merchants[index], kind);
      if (old.length === 0) {
        throw new ConfigError('merchants file', [`${id} has one ${kind}; rotate it first`]);
      }
      retired = old.length;
      const path = ['merchants', index, SECRET_KINDS[kind].field, 1];
      return old.map(() => ({ path, value: undefined }));
    });
    return retired;
  }

  setDisabled(id: string, disabled: boolean): void {
    this.#edit((content) => [
      {
        path: ['merchants', indexOf(content, id), 'disabled' satisfies keyof Merchant],
        value: disabled ? true : undefined,
        after: 'id',
      },
    ]);
  }

  #edit(plan: (content: MerchantsContent) => readonly Edit[]): void {
    editMerchantsFile(this.#file, this.#environment, plan);
  }
}

interface MerchantsContent {
  merchants: Record<string, unknown>[];
}

/** The fields that are given, those of the model that are not the shop's own, and the SDK last. */
function entryOf(merchant: NewMerchant, model: Record<string, unknown> = {}): object {
  const { id, name, account, currency, origins, returnUrl, sdk } = merchant;
  const given = withoutUndefined({
    id,
    name,
    account,
    providerMerchantId: toNumber(merchant.providerMerchantId),
    currency,
    decimals: toNumber(merchant.decimals),
    origins,
    returnUrl,
    orderLookup: merchant.orderLookupUrl && { url: merchant.orderLookupUrl },
    events: merchant.eventsUrl && { url: merchant.eventsUrl },
  });
  const givenSdk = sdk === undefined ? {} : { sdk: readJson(sdk) };
  const own = [
    ...OWN_FIELDS,
    ...(isOtherCurrency(currency, model) ? CURRENCY_FIELDS : []),
    ...Object.keys({ ...given, ...givenSdk }),
  ];
  const shared = Object.entries(model).filter(([field]) => !own.includes(field));
  return { ...given, ...Object.fromEntries(shared), ...givenSdk };
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Hashes of keys are shortened, and passwords in addresses hidden. */
function maskOthers(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return `${value.slice(0, 15)}…`;
  if (!URL.canParse(value) || new URL(value).password === '') return value;
  return value.replace(/\/\/[^/]*@/, '//***@');
}

function indexOf({ merchants }: MerchantsContent, id: string): number {
  const index = merchants.findIndex((entry) => entry['id'] === id);
  if (index === -1) throw new ConfigError('merchants file', [`there is no merchant "${id}"`]);
  return index;
}

/** @throws {ConfigError} when the model's split has amounts: they would be read in the other currency */
function isOtherCurrency(currency: string | undefined, model: Record<string, unknown>): boolean {
  if (currency === undefined || !('id' in model) || currency === model['currency']) return false;
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
