import { WEBHOOK_SCHEMES, type WebhookScheme } from '../../webhook-scheme.js';
import { UsageError } from '../exit-codes.js';
import { readExistingFile } from './private-file.js';

const NEEDED = ['header', 'algorithm', 'keyEncoding', 'signatureEncoding', 'template'] as const;

/** A scheme by the name of a preset, or from a JSON file such as `webhooks solve --save` writes. */
export async function readScheme(nameOrFile: string): Promise<WebhookScheme> {
  if (Object.hasOwn(WEBHOOK_SCHEMES, nameOrFile)) {
    return WEBHOOK_SCHEMES[nameOrFile as keyof typeof WEBHOOK_SCHEMES];
  }
  if (!/[./\\]/.test(nameOrFile)) {
    const names = Object.keys(WEBHOOK_SCHEMES).join(', ');
    throw new UsageError(`There is no scheme ${nameOrFile}. Give one of ${names}, or a JSON file.`);
  }
  const text = await readExistingFile(nameOrFile);
  const scheme = parse(text);
  const missing = NEEDED.find((field) => typeof scheme?.[field] !== 'string');
  if (scheme !== undefined && missing === undefined) return scheme as unknown as WebhookScheme;
  throw new UsageError(`${nameOrFile} is no scheme: ${missing ?? 'an object'} is missing.`);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
