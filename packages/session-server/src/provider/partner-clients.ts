import { PartnerClient, type Secret, UndiciTransport } from '@pay-checkout/partner-api';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { DEFAULT_ACCOUNT, type ProviderAccount } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { getTracer } from '../tracing/spans.js';

type Settings = Pick<Config, 'partnerApiUrl' | 'partnerApiKey' | 'createSessionTimeoutSeconds'>;

/** The provider's client of each account. A changed key or address counts from the next call on. */
export class PartnerClients {
  readonly #merchants: Pick<MerchantSource, 'accounts'>;
  readonly #timeoutSeconds: number;
  #default: ProviderAccount;
  readonly #transport = new UndiciTransport();
  readonly #clients = new WeakMap<ProviderAccount, PartnerClient>();

  constructor(settings: Settings, merchants: Pick<MerchantSource, 'accounts'>) {
    const { partnerApiUrl: apiUrl, partnerApiKey: apiKey } = settings;
    this.#default = { apiUrl, apiKey };
    this.#timeoutSeconds = settings.createSessionTimeoutSeconds;
    this.#merchants = merchants;
  }

  /** Takes another key for the default account, from the next call on. */
  useKey(apiKey: Secret): void {
    this.#default = { ...this.#default, apiKey };
  }

  /** @throws {AppError} 503 `provider_unavailable` when there is no such account */
  async get(name: string): Promise<PartnerClient> {
    const account =
      name === DEFAULT_ACCOUNT ? this.#default : (await this.#merchants.accounts?.())?.get(name);
    if (account?.apiKey === undefined) {
      throw new AppError(
        503,
        'provider_unavailable',
        `There is no provider account "${name}" in the merchants file.`,
      );
    }
    const known = this.#clients.get(account);
    if (known) return known;
    const client = new PartnerClient({
      apiKey: account.apiKey,
      baseUrl: account.apiUrl,
      timeoutSeconds: this.#timeoutSeconds,
      transport: this.#transport,
      tracer: getTracer(),
    });
    this.#clients.set(account, client);
    return client;
  }

  /** Ends running calls. */
  close(): void {
    this.#transport.close();
  }
}
