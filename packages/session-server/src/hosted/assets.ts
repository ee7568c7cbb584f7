import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Request, type Response, Router } from 'express';
import type { AssetsReply } from '../contract.js';
import { ConfigError, describeFileError } from '../errors.js';
import { compress, precompress } from '../http/compress.js';
import { closestTo, ENGLISH } from '../languages.js';

const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));
/** For addresses that change with what they lead to. */
export const YEAR = 'public, max-age=31536000, immutable';
/** For what changes with a release; a later page may begin with what there was before. */
const FEW_MINUTES = 'public, max-age=300, stale-while-revalidate=86400';

/**
 * The element's script, under a plain name that always works and under a hashed name for pages that
 * pin it with Subresource Integrity, its texts in other languages by tag (none for one that it does not
 * have), and the few files of our own pages.
 * Earlier versions of the script are kept under their hashed names, so that pages that have pinned
 * them go on paying after a release.
 *
 * @throws {ConfigError} when a script cannot be read
 */
export function assetRoutes(
  widgetScript: string,
  earlierWidgetScripts: readonly string[] = [],
): Router {
  const router = Router();
  const script = readWidgetScript(widgetScript);

  const sendScript = scriptSender(script);
  router.get('/pay-checkout.js', (request, response) => sendScript(request, response, FEW_MINUTES));
  router.get(`/${hashedNameOf(script)}`, (request, response) =>
    sendScript(request, response, YEAR),
  );
  for (const version of readEarlierScripts(earlierWidgetScripts)) {
    const sendVersion = scriptSender(version);
    router.get(`/${hashedNameOf(version)}`, (request, response) =>
      sendVersion(request, response, YEAR),
    );
  }
  router.use(['/languages', '/pay-checkout.json', '/assets'], compress);
  router.get('/languages/:tag', ({ params: { tag } }, response) => {
    const { locale, dir, element } = closestTo(tag) ?? ENGLISH;
    const texts = element === undefined ? {} : { locale, dir, ...element };
    const body = Buffer.from(JSON.stringify(texts));
    sendAsset(response, { body, type: 'application/json' }, FEW_MINUTES);
  });
  router.get('/pay-checkout.json', (_request, response) => {
    response.setHeader('cache-control', 'public, max-age=300');
    response.setHeader('access-control-allow-origin', '*');
    const { integrity } = script;
    response.json({ script: `/v1/${hashedNameOf(script)}`, integrity } satisfies AssetsReply);
  });
  for (const name of ['return.js', 'hosted.js', 'page.css'] as const) {
    const asset = readOwnAsset(name);
    router.get(`/assets/${name}`, (_request, response) => {
      sendAsset(response, asset, 'public, max-age=300');
    });
  }
  return router;
}

/** Under which Apple looks for the file of a domain, and how the provider names it. */
const DOMAIN_FILE = 'apple-developer-merchantid-domain-association';
const MAX_DOMAIN_FILE_BYTES = 64 * 1024;

/**
 * The file that registers the domain of the hosted page for Apple Pay, at its fixed address; without one 404.
 *
 * @throws {ConfigError} when it cannot be read
 */
export function domainRoutes(path: string | undefined): Router {
  const router = Router();
  if (path === undefined) return router;
  const file = { body: readDomainFile(path), type: 'text/plain' };
  router.get(`/.well-known/${DOMAIN_FILE}`, (_request, response) => {
    sendAsset(response, file, 'public, max-age=300');
  });
  return router;
}

/**
 * Everyone is sent it, so a wrong path must not send a file with secrets: only one of the expected name is taken.
 *
 * @throws {ConfigError} naming the setting
 */
export function readDomainFile(path: string): Buffer {
  const refuse = (why: string) =>
    new ConfigError('environment', [
      `PAY_APPLE_PAY_FILE: expected the path of ${DOMAIN_FILE}; ${why}`,
    ]);
  const name = basename(path).replace(/\.txt$/, '');
  if (name !== DOMAIN_FILE) throw refuse(`its name is ${JSON.stringify(basename(path))}`);
  let body: Buffer;
  try {
    body = readFileSync(path);
  } catch (error) {
    throw refuse(describeFileError(error));
  }
  if (body.length > 0 && body.length <= MAX_DOMAIN_FILE_BYTES) return body;
  throw refuse(`it has ${String(body.length)} bytes`);
}

/** Sends a script as small as the browser takes it: the largest part of a first load. */
function scriptSender(script: PageAsset) {
  const encoded = precompress(script.body);
  return async (request: Request, response: Response, cacheControl: string): Promise<void> => {
    response.vary('accept-encoding');
    const accepted = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one));
    if (accepted === undefined) {
      sendAsset(response, script, cacheControl);
      return;
    }
    const { [accepted]: body } = await encoded;
    response.setHeader('content-encoding', accepted);
    sendAsset(response, { ...script, body }, cacheControl);
  };
}

/** Sends a file that pages of any origin may load. */
export function sendAsset(
  response: Response,
  { body, type }: Pick<PageAsset, 'body' | 'type'>,
  cacheControl: string,
): void {
  response.setHeader('content-type', type.startsWith('image/') ? type : `${type}; charset=utf-8`);
  response.setHeader('cache-control', cacheControl);
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('x-content-type-options', 'nosniff');
  response.send(body);
}

/** A file that pages load from us. */
export interface PageAsset {
  readonly body: Buffer;
  readonly type: string;
  /** For Subresource Integrity: `sha384-` and the hash in base64. */
  readonly integrity: string;
}

/**
 * The element's script, this version or an earlier one. Everyone is sent it, so a wrong path must not
 * send the merchants file: the build writes its hash to a file next to it.
 *
 * @throws {ConfigError} naming the setting, when it cannot be read, or is not what that file names
 */
export function readWidgetScript(path: string, setting = 'PAY_WIDGET_SCRIPT'): PageAsset {
  const refuse = (why: string) =>
    new ConfigError('environment', [`${setting}: expected the path of pay-checkout.js; ${why}`]);
  const read = (name: string, ofWhat: string): Buffer => {
    try {
      return readFileSync(name);
    } catch (error) {
      throw refuse(`${ofWhat}${describeFileError(error)}`);
    }
  };
  const script = toAsset(read(path, ''), 'text/javascript');
  const named = `${basename(path)}.integrity`;
  const integrity = read(`${path}.integrity`, `its hash is read from ${named} next to it, and `);
  if (integrity.toString('utf8').trim() === script.integrity) return script;
  throw refuse(`it does not have the hash in ${named} next to it`);
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
export function hashedNameOf(script: PageAsset): string {
  return `pay-checkout.${script.integrity.slice(7, 23).replace(/[+/=]/g, '0')}.js`;
}

export function integrityOf(body: Uint8Array | string): string {
  return `sha384-${createHash('sha384').update(body).digest('base64')}`;
}

function toAsset(body: Buffer, type: string): PageAsset {
  return { body, type, integrity: integrityOf(body) };
}
