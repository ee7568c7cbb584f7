import { createHash } from 'node:crypto';
import {
  type DashboardParts,
  type Database,
  type DataEncryption,
  type Merchant,
  type MerchantEntries,
  type Reader,
  SECRET_KINDS,
  type SecretKind,
  sql,
} from '@pay-checkout/session-server/internals';
import type { NewSecretView, SecretsView } from './view.js';

/** The kinds that this merchant has, or may have. */
function kindsOf({ orderLookup }: Merchant): SecretKind[] {
  // Without the lookup, the server makes the order tokens with secrets of its own.
  return ['api-key', 'signing-secret', ...(orderLookup ? (['order-token-secret'] as const) : [])];
}

/** The secrets of a merchant, and since when this page knows each: what it sees for the first time, it stores. */
export async function readSecrets(
  database: Database,
  merchant: Merchant,
  { entries, encryption, clock }: Pick<DashboardParts, 'entries' | 'encryption' | 'clock'>,
): Promise<readonly SecretsView[]> {
  const now = clock.now();
  const kinds = kindsOf(merchant).map((kind) => {
    return {
      kind,
      names: hashesOf(merchant, kind, encryption).map((hash) => nameOf(merchant, kind, hash)),
    };
  });
  const all = kinds.flatMap(({ names }) => names);
  const known = await readTimes(database, all);
  const unknown = all.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    await database.transaction('page:see-secrets', async (tx) => {
      for (const name of unknown) {
        const seen = sql.insert('counters', { name, value: now });
        await tx.run(sql`${seen} ON CONFLICT (name) DO NOTHING`);
      }
    });
  }
  return kinds.map(({ kind, names }) => ({
    kind,
    values: names.map((name) => ({
      fingerprint: name.slice(-FINGERPRINT_CHARS),
      seenSince: known.get(name) ?? now,
    })),
    canRotate: entries?.canRotate(merchant.id, kind) === true,
  }));
}

/** Adds a value where the file can be changed, and makes one for the platform to add elsewhere. */
export function makeSecret(
  { id }: Merchant,
  kind: SecretKind,
  entries: MerchantEntries | undefined,
): NewSecretView {
  if (entries?.canRotate(id, kind) === true) return { kind, secret: entries.rotate(id, kind) };
  const { field, make, store } = SECRET_KINDS[kind];
  const secret = make();
  return { kind, secret, line: `"${field}": ["${store(secret)}", …]` };
}

const FINGERPRINT_CHARS = 8;

/** Which value it is: a hash of it, and of no use without the value. */
function nameOf({ id }: Merchant, kind: SecretKind, hash: string): string {
  return `secret:${id}:${kind}:${hash.slice(0, FINGERPRINT_CHARS)}`;
}

function hashesOf(merchant: Merchant, kind: SecretKind, encryption: DataEncryption): string[] {
  if (kind === 'api-key') return merchant.apiKeyHash.map((hash) => hash.replace('sha256:', ''));
  const { id, signingSecret, orderTokenSecret } = merchant;
  const secrets = kind === 'signing-secret' ? signingSecret : orderTokenSecret;
  // Behind those of the entry are those that the server made.
  const made = encryption.orderTokenSecrets(id).map((secret) => secret.reveal());
  return secrets
    .map((secret) => secret.reveal())
    .filter((secret) => !made.includes(secret))
    .map((secret) => createHash('sha256').update(secret).digest('hex'));
}

async function readTimes(
  reader: Reader,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await reader.all(
    sql`SELECT name, value FROM counters WHERE name IN ${sql.list([...names])}`,
  );
  return new Map(rows.map((row) => [String(row['name']), Number(row['value'])]));
}
