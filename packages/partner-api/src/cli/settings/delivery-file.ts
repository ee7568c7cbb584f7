import { readFile } from 'node:fs/promises';

import type { WebhookDelivery } from '../../webhook-signature.js';
import { UsageError } from '../exit-codes.js';
import { tell } from './private-file.js';

/**
 * Reads a captured delivery: JSON `{headers, body | bodyBase64, url?}`, or an HTTP request as it
 * came over the line, whose bytes are kept as they are.
 */
export async function readDelivery(file: string): Promise<WebhookDelivery> {
  const bytes = await tell(`read ${file}`, () => readFile(file));
  const isJson = bytes.subarray(0, 200).toString('latin1').trimStart().startsWith('{');
  return isJson ? fromJson(bytes.toString('utf8'), file) : fromRequest(bytes, file);
}

function fromJson(text: string, file: string): WebhookDelivery {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not valid JSON.`);
  }
  const { headers, body, bodyBase64, url } = read as Record<string, unknown>;
  const hasHeaders = typeof headers === 'object' && headers !== null;
  const content =
    typeof bodyBase64 === 'string' ? new Uint8Array(Buffer.from(bodyBase64, 'base64')) : body;
  if (!hasHeaders || !(typeof content === 'string' || content instanceof Uint8Array)) {
    throw new UsageError(
      `${file} must hold headers, and the raw body as text in body or in bodyBase64.`,
    );
  }
  return {
    headers: headers as WebhookDelivery['headers'],
    body: content,
    ...(typeof url === 'string' ? { url } : {}),
  };
}

function fromRequest(bytes: Buffer, file: string): WebhookDelivery {
  const text = bytes.toString('latin1');
  const gap = /\r?\n\r?\n/.exec(text);
  const [first = '', ...lines] = text.slice(0, gap?.index ?? 0).split(/\r?\n/);
  if (gap === null || !/^POST \S+ HTTP\/1\.[01]$/.test(first)) {
    throw new UsageError(
      `${file} is neither JSON with headers and body, nor a request that begins with POST … HTTP/1.1.`,
    );
  }
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  return { headers, body: new Uint8Array(bytes.subarray(gap.index + gap[0].length)) };
}
