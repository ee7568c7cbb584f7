import { randomBytes } from 'node:crypto';
import { inventId } from '../resources/transaction-row.js';

/** A registered endpoint (spec 2.5). Its key is for signing only; whoever looks sees it masked. */
export interface WebhookEndpoint {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | undefined;
  readonly events: readonly string[];
  /** In full. Never written anywhere after the answer to the creation (spec 4.7, rule 2). */
  readonly hmacKey: string;
}

/** A registered endpoint as it may be shown. */
export interface EndpointSummary {
  readonly webhook_id: string;
  /** Origin only: the path may hold a token. */
  readonly to: string;
  readonly description?: string;
  readonly events: readonly string[];
  /** Masked. */
  readonly hmac_key: string;
}

/** How a generated key is written. Not shown; `whsec` is base64 after `whsec_`. */
export type HmacKeyFormat = 'hex' | 'base64' | 'whsec';

/** The endpoints that were registered, oldest first. The same address twice makes two of them. */
export class WebhookEndpoints {
  readonly #keyFormat: HmacKeyFormat;
  #endpoints = new Map<string, WebhookEndpoint>();

  constructor(keyFormat: HmacKeyFormat) {
    this.#keyFormat = keyFormat;
  }

  add(request: {
    readonly url: string;
    readonly description?: string | undefined;
    readonly events?: readonly string[] | undefined;
    readonly hmac_key?: string | undefined;
  }): WebhookEndpoint {
    const endpoint: WebhookEndpoint = {
      webhookId: inventId('wh'),
      url: request.url,
      description: request.description,
      events: request.events ?? [],
      hmacKey: request.hmac_key ?? inventKey(this.#keyFormat),
    };
    this.#endpoints.set(endpoint.webhookId, endpoint);
    return endpoint;
  }

  find(webhookId: string): WebhookEndpoint | undefined {
    return this.#endpoints.get(webhookId);
  }

  list(): WebhookEndpoint[] {
    return [...this.#endpoints.values()];
  }

  clear(): void {
    this.#endpoints.clear();
  }
}

/** Shows an endpoint without its key and without its path. */
export function summarizeEndpoint(endpoint: WebhookEndpoint): EndpointSummary {
  const { webhookId, url, description, events, hmacKey } = endpoint;
  return {
    webhook_id: webhookId,
    to: new URL(url).origin,
    ...(description === undefined ? {} : { description }),
    events,
    hmac_key: maskKey(hmacKey),
  };
}

/** Shows the last four characters, and of a short key none. */
function maskKey(key: string): string {
  return key.length < 16 ? '********' : `********${key.slice(-4)}`;
}

function inventKey(format: HmacKeyFormat): string {
  const bytes = randomBytes(32);
  if (format === 'whsec') return `whsec_${bytes.toString('base64')}`;
  return bytes.toString(format);
}
