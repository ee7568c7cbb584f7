import type { Inventor } from '../random.js';
import type { Switches } from '../switches.js';

/** A registered endpoint (spec 2.5). */
export interface WebhookEndpoint {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | undefined;
  readonly events: readonly string[];
  /** In full, for signing. Only the answer to the creation shows it (spec 4.7, rule 2). */
  readonly hmacKey: string;
  /** The reseller whose merchants it receives webhooks about, as the key that created it; undefined: all. */
  readonly resellerId: number | undefined;
}

/** What a call says of an endpoint (spec 4.7). */
interface NewEndpoint {
  readonly url: string;
  readonly description?: string | undefined;
  readonly events?: readonly string[] | undefined;
  /** Generated when it is left out. */
  readonly hmac_key?: string | undefined;
}

/** The registered endpoints, oldest first. Registering a URL twice makes two of them. */
export class WebhookEndpoints {
  readonly #inventor: Inventor;
  #endpoints = new Map<string, WebhookEndpoint>();

  constructor(inventor: Inventor) {
    this.#inventor = inventor;
  }

  /** @param keyFormat how a key is written that has to be generated */
  add(
    request: NewEndpoint,
    keyFormat: Switches['hmacKeyFormat'],
    resellerId: number | undefined,
  ): WebhookEndpoint {
    const endpoint: WebhookEndpoint = {
      webhookId: this.#inventor.id('wh'),
      url: request.url,
      description: request.description,
      events: request.events ?? [],
      hmacKey: request.hmac_key ?? writeKey(this.#inventor.bytes(32), keyFormat),
      resellerId,
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

/** `whsec`: base64 after `whsec_`. */
function writeKey(bytes: Buffer, format: Switches['hmacKeyFormat']): string {
  if (format === 'whsec') return `whsec_${bytes.toString('base64')}`;
  return bytes.toString(format);
}

/** A registered endpoint as the control routes show it. */
export function summarizeEndpoint(endpoint: WebhookEndpoint) {
  const { webhookId, url, description, events, hmacKey } = endpoint;
  return {
    webhook_id: webhookId,
    // Origin only: the path may hold a token.
    to: new URL(url).origin,
    description,
    events,
    // The last four characters; none of a short key.
    hmac_key: hmacKey.length < 16 ? '********' : `********${hmacKey.slice(-4)}`,
  };
}
