import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../errors.js';

const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));

/** A file that pages load from us. */
export interface PageAsset {
  readonly body: Buffer;
  readonly type: string;
  /** For Subresource Integrity: `sha384-` and the hash in base64. */
  readonly integrity: string;
}

/**
 * The element's script, this version or an earlier one.
 *
 * @throws {ConfigError} naming the setting, when it cannot be read
 */
export function readWidgetScript(path: string, setting = 'PAY_WIDGET_SCRIPT'): PageAsset {
  try {
    return toAsset(readFileSync(path), 'text/javascript');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ConfigError('environment', [
      `${setting}: expected the path of pay-checkout.js; it cannot be read (${code})`,
    ]);
  }
}

/** Versions that pages may still have pinned. @throws {ConfigError} when one cannot be read */
export function readEarlierScripts(paths: readonly string[]): PageAsset[] {
  return paths.map((path) => readWidgetScript(path, 'PAY_EARLIER_WIDGET_SCRIPTS'));
}

/** A file of our own pages. */
export function readOwnAsset(name: 'return.js' | 'hosted.js' | 'page.css'): PageAsset {
  const type = name.endsWith('.js') ? 'text/javascript' : 'text/css';
  return toAsset(readFileSync(`${ASSETS}${name}`), type);
}

/** The name of the element's script that changes with its text, for pages that pin it. */
export function hashedNameOf({ integrity }: PageAsset): string {
  return `pay-checkout.${integrity.slice(7, 23).replace(/[+/=]/g, '0')}.js`;
}

export function integrityOf(body: Uint8Array | string): string {
  return `sha384-${createHash('sha384').update(body).digest('base64')}`;
}

function toAsset(body: Buffer, type: string): PageAsset {
  return { body, type, integrity: integrityOf(body) };
}
