import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import config from '../vite.config.ts';

/** An element that takes payments: its tag, and the single file that defines it. */
export interface Contestant {
  readonly tag: string;
  readonly script: Buffer;
}

/**
 * Ours as it is built, and the smallest Lit element with the same flow, built with the same
 * configuration.
 */
export async function prepareContestants(): Promise<{ ours: Contestant; peer: Contestant }> {
  const built = fileURLToPath(new URL('../dist/pay-checkout.js', import.meta.url));
  return {
    ours: { tag: 'pay-checkout', script: readFileSync(built) },
    peer: { tag: 'bare-checkout', script: await buildPeer() },
  };
}

async function buildPeer(): Promise<Buffer> {
  const outDir = mkdtempSync(join(tmpdir(), 'widget-bench-'));
  const entry = fileURLToPath(new URL('peer/bare-checkout.ts', import.meta.url));
  const fileName = 'bare-checkout.js';
  await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: {
      ...config.build,
      outDir,
      lib: { entry, formats: ['iife'], name: 'BareCheckout', fileName: () => fileName },
    },
  });
  const script = readFileSync(join(outDir, fileName));
  rmSync(outDir, { recursive: true });
  return script;
}

export interface Size {
  readonly raw: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** Bytes, as a server sends them. */
export function sizeOf({ script }: Contestant): Size {
  return {
    raw: script.length,
    gzip: gzipSync(script, { level: 9 }).length,
    brotli: compress(script).length,
  };
}

export function compress(script: Buffer): Buffer {
  return brotliCompressSync(script, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
}
