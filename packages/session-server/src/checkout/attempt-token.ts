import { hashToken, randomId, timePrefix } from '../random-id.js';

/** The four addresses that an attempt gives to the provider; only hashes of them are stored. */
export interface AttemptTokens {
  readonly return: string;
  readonly cancel: string;
  readonly back: string;
  readonly webhook: string;
}

/** A token as a store looks it up: where to look, and the hash that must be there. */
export interface StoredToken {
  /** The same for the four tokens of an attempt, and no secret. */
  readonly locator: string;
  readonly hash: string;
}

/** Six characters of time and eight that are random. */
const LOCATOR_CHARS = 14;

/**
 * Four new tokens, each with 128 random bits of its own. The locator before those lets one row hold
 * all four, beside the rows of the same second, so that storing them costs the same however many
 * came before.
 */
export function makeTokens(now: number): { locator: string; tokens: AttemptTokens } {
  const locator = `${timePrefix(now)}${randomId()}`.slice(0, LOCATOR_CHARS);
  const token = (): string => `${locator}${randomId()}`;
  return {
    locator,
    tokens: { return: token(), cancel: token(), back: token(), webhook: token() },
  };
}

/** How a token that somebody sent is looked up; any text may be sent. */
export function toStoredToken(token: string): StoredToken {
  return { locator: token.slice(0, LOCATOR_CHARS), hash: hashToken(token) };
}
