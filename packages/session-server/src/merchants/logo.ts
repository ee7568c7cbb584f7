import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { imageSize } from 'image-size';
import { describeFileError } from '../errors.js';

/** Enough for a logo at three times its size; each one is kept in memory. */
export const MAX_LOGO_BYTES = 65_536;
export const MAX_LOGO_PX = 1024;

/** The first bytes of each type, in hexadecimal; what follows may be anything. */
const TYPES = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
] as const;

/** A picture that our pages show. */
export interface Logo {
  readonly body: Buffer;
  readonly type: (typeof TYPES)[number][0];
  readonly width: number;
  readonly height: number;
  /** Changes with the picture. */
  readonly hash: string;
}

/** Why a file is not accepted as a logo: what was expected, and what to do. */
export class LogoError extends Error {
  override readonly name = 'LogoError';
}

/**
 * Reads a logo.
 *
 * @param folder the file must be inside it, also once links are followed
 * @throws {LogoError}
 */
export function readLogo(folder: string, name: string): Logo {
  try {
    const path = realpathSync(join(folder, name));
    if (!path.startsWith(realpathSync(folder) + sep)) {
      throw new LogoError(
        'expected a file in the folder of the merchants file; this one is a link out of it',
      );
    }
    const { size } = statSync(path);
    if (size > MAX_LOGO_BYTES) {
      throw new LogoError(`expected at most ${MAX_LOGO_BYTES} bytes, not ${size}; save it smaller`);
    }
    return parseLogo(readFileSync(path));
  } catch (error) {
    throw error instanceof LogoError ? error : new LogoError(describeFileError(error));
  }
}

/** @throws {LogoError} */
export function parseLogo(body: Buffer): Logo {
  const start = body.toString('hex', 0, 12);
  const [type] = TYPES.find(([, signature]) => signature.test(start)) ?? [];
  if (type === undefined) {
    throw new LogoError(
      'expected a PNG, JPEG or WebP; this file is none inside, whatever its name',
    );
  }
  const { width, height } = sizeOf(body);
  if (width > MAX_LOGO_PX || height > MAX_LOGO_PX) {
    const limit = `${MAX_LOGO_PX} × ${MAX_LOGO_PX}`;
    throw new LogoError(
      `expected at most ${limit} pixels, not ${width} × ${height}; save it smaller`,
    );
  }
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { body, type, width, height, hash };
}

function sizeOf(body: Buffer): { readonly width: number; readonly height: number } {
  try {
    // A copy: past the end of a short file, it would read what lies behind the buffer in memory.
    const { width, height, orientation = 1 } = imageSize(Uint8Array.from(body));
    if (!(width > 0 && height > 0)) throw new RangeError('no pixels');
    // A camera's picture that lies on its side.
    return orientation > 4 ? { width: height, height: width } : { width, height };
  } catch {
    throw new LogoError(
      'expected a picture that can be shown; this one is damaged, so save it again',
    );
  }
}
