import { resolve } from 'node:path';
import type { FieldError } from '../errors.js';
import { readSecretFile } from '../secret-files.js';

/** Where a merchants file has secrets; `*` stands for each item or name. */
export const SECRET_PLACES = [
  'accounts.*.apiKey',
  'defaults.webhooks.signature.keys.*.key',
  'merchants.*.orderTokenSecret.*',
  'merchants.*.signingSecret.*',
  'merchants.*.webhooks.signature.keys.*.key',
  'merchants.*.webhookEndpoints.*.signature.keys.*.key',
];

/** What takes the place of a secret; `field` is where it is, such as `merchants.0.signingSecret.0`. */
type Replace = (secret: unknown, field: string) => unknown;

/** A copy of a merchants file with another value in the place of each secret. */
export function mapSecrets(file: unknown, replace: Replace): unknown {
  return SECRET_PLACES.reduce((copy, place) => mapAt(copy, place.split('.'), '', replace), file);
}

function mapAt(value: unknown, place: readonly string[], at: string, replace: Replace): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return replace(value, at.slice(1));
  if (typeof value !== 'object' || value === null) return value;
  const map = (item: unknown, name: string): unknown => mapAt(item, rest, `${at}.${name}`, replace);
  if (Array.isArray(value)) return value.map((item, index) => map(item, String(index)));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      step === '*' || step === name ? map(item, name) : (item as unknown),
    ]),
  );
}

/** What a reference leads to: `{ "file": "…" }`, `{ "env": "…" }`. Undefined for what is none. */
export function readReference(value: unknown): { file: string } | { env: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [[kind, target] = [], ...others] = Object.entries(value) as [string, unknown][];
  if (others.length > 0 || typeof target !== 'string' || target === '') return undefined;
  if (kind === 'file') return { file: target };
  return kind === 'env' ? { env: target } : undefined;
}

/**
 * A merchants file with the secrets that its references lead to, the files that they were read from, and
 * each reference that leads nowhere.
 *
 * @param folder where relative paths begin
 */
export function resolveSecrets(file: unknown, folder: string) {
  const files: string[] = [];
  const mistakes: FieldError[] = [];
  const resolved = mapSecrets(file, (secret, field) => {
    if (typeof secret !== 'object' || secret === null) return secret;
    const reference = readReference(secret);
    const add = (message: string): unknown => {
      mistakes.push({ field, message });
      return secret;
    };
    if (!reference) return add('expected text, { "file": "<path>" } or { "env": "<variable>" }');
    if ('env' in reference) {
      const text = process.env[reference.env] ?? '';
      return text === '' ? add(`${reference.env} is not set in the environment`) : text;
    }
    const path = resolve(folder, reference.file);
    files.push(path);
    const found = readSecretFile(path);
    return 'text' in found ? found.text : add(found.mistake);
  });
  return { resolved, files, mistakes };
}
