/** The secrets that the three processes share: made once, kept with the data they belong to. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const schema = z.strictObject({
  /** The session server's key at the provider. */
  providerApiKey: z.string().min(16),
  /** The shop's Bearer key at the session server. */
  merchantApiKey: z.string().min(16),
  orderTokenSecret: z.string().min(16),
  signingSecret: z.string().startsWith('whsec_'),
});

export type StackSecrets = Readonly<z.output<typeof schema>>;

/** Reads the secrets of this data folder, or makes new ones; a damaged file is replaced. */
export function readStackSecrets(dataDirectory: string): StackSecrets {
  const file = join(dataDirectory, 'secrets.json');
  const known = schema.safeParse(readJson(file));
  if (known.success) return known.data;
  const secrets = {
    providerApiKey: makeSecret(),
    merchantApiKey: makeSecret(),
    orderTokenSecret: makeSecret(),
    signingSecret: `whsec_${randomBytes(32).toString('base64')}`,
  };
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets;
}

/** The shop's Bearer key for a further merchant entry: each entry has one of its own. */
export function deriveApiKey({ merchantApiKey }: StackSecrets, merchant: string): string {
  return createHmac('sha256', merchantApiKey).update(merchant).digest('base64url');
}

/** The signing secret of a further merchant. */
export function deriveSigningSecret({ signingSecret }: StackSecrets, merchant: string): string {
  return `whsec_${createHmac('sha256', signingSecret).update(merchant).digest('base64')}`;
}

/** The key to the operator's page. */
export function deriveOperatorKey({ merchantApiKey }: StackSecrets): string {
  return createHmac('sha256', merchantApiKey).update('operator').digest('base64url');
}

/** How the session server keeps a merchant's key. */
export function hashApiKey(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
