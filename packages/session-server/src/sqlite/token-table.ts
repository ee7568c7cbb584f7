import {
  type AttemptTokens,
  makeTokens,
  type StoredToken,
  toStoredToken,
} from '../checkout/attempt-token.js';
import type { SqliteConnection } from './sqlite-connection.js';

const KINDS = ['return', 'cancel', 'back', 'webhook'] as const;
/** Attempts whose webhook tokens are remembered, about 200 bytes each. */
const MOST_RECENT = 10_000;

/** Whose token somebody has, and which of the four. */
export interface FoundToken {
  readonly kind: keyof AttemptTokens;
  readonly orderId: number;
}

/** Hashes of the tokens of attempts, a row each. Its writes run inside the caller's step. */
export class TokenTable {
  readonly #connection: SqliteConnection;
  /** By the hash of the webhook token: most deliveries come soon after the attempt. */
  readonly #recent = new Map<string, number>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Four new tokens for an attempt. */
  insert(orderId: number, now: number): AttemptTokens {
    const { locator, tokens } = makeTokens(now);
    const hashOf = (kind: keyof AttemptTokens): string => toStoredToken(tokens[kind]).hash;
    const webhookHash = hashOf('webhook');
    this.#connection.insert('tokens', {
      locator,
      order_id: orderId,
      return_hash: hashOf('return'),
      cancel_hash: hashOf('cancel'),
      back_hash: hashOf('back'),
      webhook_hash: webhookHash,
    });
    this.#connection.afterCommit(() => {
      this.#remember(webhookHash, orderId);
    });
    return tokens;
  }

  /** Of whose `WebhookUrl` a token is. */
  findWebhook(token: StoredToken): Pick<FoundToken, 'orderId'> | undefined {
    const orderId = this.#recent.get(token.hash);
    if (orderId !== undefined) return { orderId };
    const found = this.find(token);
    return found?.kind === 'webhook' ? found : undefined;
  }

  find({ locator, hash }: StoredToken): FoundToken | undefined {
    const row = this.#connection.get('SELECT * FROM tokens WHERE locator = :locator', { locator });
    const kind = KINDS.find((one) => row?.[`${one}_hash`] === hash);
    return row && kind && { kind, orderId: Number(row['order_id']) };
  }

  #remember(webhookHash: string, orderId: number): void {
    this.#recent.set(webhookHash, orderId);
    if (this.#recent.size <= MOST_RECENT) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}
