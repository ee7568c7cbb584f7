import { z } from 'zod';
import { AppError } from '../errors.js';
import { integrityOf } from '../hosted/page-asset.js';
import { findParts } from './page-parts.js';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_SCRIPTS = 200;
/** Headers that decide what a page may do, and who may do what with it. */
const HEADERS = [
  'content-security-policy',
  'content-security-policy-report-only',
  'reporting-endpoints',
  'strict-transport-security',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'access-control-allow-credentials',
];

/** A payment page as it was sent at some time: what PCI DSS 4 requirement 11.6.1 wants watched. */
export interface PageRecord {
  readonly url: string;
  /** Headers with an effect on security; nonces are left out, since they are always new. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address and hash of the text of each script. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Inline scripts, handlers, frames and the like, each with its address or hash. */
  readonly others: readonly string[];
}

const recordSchema = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
  others: z.array(z.string()),
});

/** Reads a record that was kept. @throws {AppError} 400 when the text is none */
export function parseRecord(text: string): PageRecord {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError(400, 'invalid_request', 'expected a file written by: inventory --record', {
      cause,
    });
  }
}

/**
 * Fetches a page and its scripts, as a browser without cookies would.
 *
 * @throws {AppError} 502 when the page or a script of it cannot be had
 */
export async function recordPage(url: string): Promise<PageRecord> {
  const page = await download(url, 'manual');
  const { scripts, others } = findParts(page.body.toString('utf8'), url);
  if (scripts.length > MAX_SCRIPTS) throw unreadable(url, 'it has too many scripts');
  const hashes: Record<string, string> = {};
  for (const address of new Set(scripts)) {
    hashes[address] = integrityOf((await download(address, 'follow')).body);
  }
  const headers = HEADERS.flatMap((name) => {
    const value = page.headers.get(name);
    return value === null ? [] : [[name, value.replace(/'nonce-[^']*'/g, "'nonce-…'")]];
  });
  return {
    url,
    headers: Object.fromEntries(headers) as Record<string, string>,
    scripts: hashes,
    others: others.toSorted(),
  };
}

async function download(
  url: string,
  redirect: 'manual' | 'follow',
): Promise<{ readonly headers: Headers; readonly body: Buffer }> {
  let answer: Response;
  const chunks: Uint8Array[] = [];
  try {
    answer = await fetch(url, { redirect, signal: AbortSignal.timeout(TIMEOUT_MS) });
    let length = 0;
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error('too long');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw unreadable(url, 'no answer, or one that is too long', cause);
  }
  if (!answer.ok) throw unreadable(url, `status ${String(answer.status)}`);
  return { headers: answer.headers, body: Buffer.concat(chunks) };
}

function unreadable(url: string, why: string, cause?: unknown): AppError {
  return new AppError(502, 'page_unreadable', `${url} cannot be checked: ${why}`, { cause });
}
