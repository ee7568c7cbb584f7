import { createHash, timingSafeEqual } from 'node:crypto';

/** A key of the header `api_key` (spec 5.1). */
export interface ApiKey {
  readonly name: string;
  /** In full; no answer but that to its creation shows it. */
  readonly key: string;
  /** The reseller whose merchants it knows. Undefined: all. */
  readonly resellerId: number | undefined;
}

/** A merchant as the provider knows it. It decides the currency, which spec 4.6 does not carry. */
export interface Merchant {
  /** `merchant_id` of spec 4.6 and `merchantId` of spec 2.1. */
  readonly id: number;
  readonly name: string;
  /** ISO 4217 code, three capital letters. */
  readonly currency: string;
  /** The reseller that `resellerId` of spec 4.1 selects. Default: the sandbox's own. */
  readonly resellerId?: number | undefined;
}

/** A partner whose analytics can be read (spec 4.5). Other names get 403. */
export interface AnalyticsPartner {
  /** `partner_name`, compared exactly. */
  readonly name: string;
  /** `success` of the reply. Default true. */
  readonly success?: boolean | undefined;
  /** Whose merchants' transactions count. Default those of all merchants. */
  readonly resellerId?: number | undefined;
  /** Of the amounts. Default that of the first merchant. */
  readonly currency?: string | undefined;
  /** A partner with nothing to show: zeros and an empty series. Default false. */
  readonly isQuiet?: boolean | undefined;
}

interface StartAccounts {
  readonly apiKey: string;
  readonly merchants: readonly Merchant[];
  readonly partners: readonly AnalyticsPartner[];
  /** The reseller of merchants without one. */
  readonly resellerId: number;
}

/** The name of the key of the settings. */
export const FIRST_KEY = 'first';

/** Who calls the API, and for whom: keys, merchants and partners. A reset leaves those of the settings. */
export class Accounts {
  readonly #start: StartAccounts;
  readonly #keys = new Map<string, ApiKey>();
  readonly #merchants = new Map<number, Merchant>();
  readonly #partners = new Map<string, AnalyticsPartner>();
  /** By merchant, removed ones included: their transactions stay. */
  readonly #resellers = new Map<number, number>();

  constructor(start: StartAccounts) {
    this.#start = start;
    this.reset();
  }

  reset(): void {
    const { apiKey, merchants, partners } = this.#start;
    for (const map of [this.#keys, this.#merchants, this.#partners, this.#resellers]) map.clear();
    this.addKey({ name: FIRST_KEY, key: apiKey, resellerId: undefined });
    for (const merchant of merchants) this.addMerchant(merchant);
    for (const partner of partners) this.addPartner(partner);
  }

  keys(): ApiKey[] {
    return [...this.#keys.values()];
  }

  merchants(): Merchant[] {
    return [...this.#merchants.values()];
  }

  partners(): AnalyticsPartner[] {
    return [...this.#partners.values()];
  }

  /** Adds a key, or replaces the one of this name. */
  addKey(key: ApiKey): void {
    this.#keys.set(key.name, key);
  }

  /** Returns whether there was one. */
  removeKey(name: string): boolean {
    return this.#keys.delete(name);
  }

  addMerchant(merchant: Merchant): void {
    this.#merchants.set(merchant.id, merchant);
    this.#resellers.set(merchant.id, merchant.resellerId ?? this.#start.resellerId);
  }

  removeMerchant(id: number): boolean {
    return this.#merchants.delete(id);
  }

  addPartner(partner: AnalyticsPartner): void {
    this.#partners.set(partner.name, partner);
  }

  removePartner(name: string): boolean {
    return this.#partners.delete(name);
  }

  /** Takes as long for every key: both sides are hashed, and each key is compared. */
  findKey(given: string): ApiKey | undefined {
    const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
    const hashed = hash(given);
    return this.keys().filter(({ key }) => timingSafeEqual(hash(key), hashed))[0];
  }

  findMerchant(id: number): Merchant | undefined {
    return this.#merchants.get(id);
  }

  findPartner(name: string): AnalyticsPartner | undefined {
    return this.#partners.get(name);
  }

  /** The reseller of a merchant; of an unknown one, the sandbox's own. */
  resellerOf(merchantId: number | undefined): number {
    return this.#resellers.get(merchantId ?? NaN) ?? this.#start.resellerId;
  }
}
