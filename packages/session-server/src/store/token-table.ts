import { LRUCache } from 'lru-cache';
import { type AttemptTokens, makeTokens, type StoredToken } from '../checkouts/attempt-token.js';
import { hashToken } from '../random-id.js';
import type { SqliteConnection } from './sqlite-connection.js';

const KINDS = ['return', 'cancel', 'back', 'webhook'] as const;
/** Attempts at least whose webhook tokens are remembered, about 200 bytes each. */
const RECENT = 5_000;

/** Whose token somebody has, and which of the four. */
export interface FoundToken {
  readonly kind: keyof AttemptTokens;
  readonly orderId: number;
}

/** Tokens of attempts: their four hashes, one after the other, are a column of the attempt's row. */
export class TokenTable {
  readonly #connection: SqliteConnection;
  /** By the hash of the webhook token: most deliveries come soon after the attempt. */
  readonly #recent = new LRUCache<string, number>({ max: RECENT });

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Four new tokens for an attempt that is being written, and what is stored of them. */
  make(orderId: number): { tokens: AttemptTokens; hashes: string } {
    const tokens = makeTokens(orderId);
    const hashes = KINDS.map((kind) => hashToken(tokens[kind]));
    const webhookHash = hashes[KINDS.indexOf('webhook')] ?? '';
    this.#connection.afterCommit(() => {
      this.#recent.set(webhookHash, orderId);
    });
    return { tokens, hashes: hashes.join(' ') };
  }

  /** Of whose `WebhookUrl` a token is. */
  findWebhook(token: StoredToken): Pick<FoundToken, 'orderId'> | undefined {
    const orderId = this.#recent.get(token.hash);
    if (orderId !== undefined) return { orderId };
    const found = this.find(token);
    return found?.kind === 'webhook' ? found : undefined;
  }

  find({ orderId, hash }: StoredToken): FoundToken | undefined {
    if (orderId === undefined) return undefined;
    const row = this.#connection.get(
      'SELECT token_hashes FROM attempts WHERE order_id = :orderId',
      { orderId },
    );
    const hashes = row ? String(row['token_hashes']).split(' ') : [];
    const kind = KINDS[hashes.indexOf(hash)];
    return kind && { kind, orderId };
  }
}
