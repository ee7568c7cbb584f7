import {
  type AttemptTokens,
  makeTokens,
  type StoredToken,
  toStoredToken,
} from '../checkout/attempt-token.js';
import type { SqliteConnection } from './sqlite-connection.js';

const KINDS = ['return', 'cancel', 'back', 'webhook'] as const;

/** Whose token somebody has, and which of the four. */
export interface FoundToken {
  readonly kind: keyof AttemptTokens;
  readonly orderId: number;
}

/** Hashes of the tokens of attempts, a row each. Its writes run inside the caller's step. */
export class TokenTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Four new tokens for an attempt. */
  insert(orderId: number, now: number): AttemptTokens {
    const { locator, tokens } = makeTokens(now);
    const hashOf = (kind: keyof AttemptTokens): string => toStoredToken(tokens[kind]).hash;
    this.#connection.insert('tokens', {
      locator,
      order_id: orderId,
      return_hash: hashOf('return'),
      cancel_hash: hashOf('cancel'),
      back_hash: hashOf('back'),
      webhook_hash: hashOf('webhook'),
    });
    return tokens;
  }

  find({ locator, hash }: StoredToken): FoundToken | undefined {
    const row = this.#connection.get('SELECT * FROM tokens WHERE locator = :locator', { locator });
    const kind = KINDS.find((one) => row?.[`${one}_hash`] === hash);
    return row && kind && { kind, orderId: Number(row['order_id']) };
  }
}
