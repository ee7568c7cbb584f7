import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pngOf } from '../testing/test-logo.js';
import { MAX_LOGO_BYTES, MAX_LOGO_PX, parseLogo, readLogo } from './logo.js';

const PNG = pngOf(40, 30);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
/** Start of a frame of 40 × 30 pixels. */
const JPEG_FRAME = 'ffc0001108001e002803011100021101031101';
const JPEG = `ffd8ffe000104a46494600010100000100010000${JPEG_FRAME}`;
/** Camera data that says: turned by 90 degrees. */
const TURNED = `ffe100224578696600004d4d002a00000008000101120003000000010006000000000000`;
const WEBP = Buffer.from(
  '52494646240000005745425056503858' + '0a00000000000000' + '270000' + '1d0000',
  'hex',
);

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logos-'));
  folder = join(root, 'merchants');
  mkdirSync(folder);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('a logo', () => {
  it.each([
    ['a PNG', PNG, 'image/png', 40, 30],
    ['a JPEG', Buffer.from(JPEG, 'hex'), 'image/jpeg', 40, 30],
    ['a WebP', WEBP, 'image/webp', 40, 30],
    [
      'a JPEG of a camera on its side',
      Buffer.from(`ffd8ffe000104a46494600010100000100010000${TURNED}${JPEG_FRAME}`, 'hex'),
      ...(['image/jpeg', 30, 40] as const),
    ],
  ])('is %s, and has its size as it is shown', (_what, body, type, width, height) => {
    expect(parseLogo(body)).toMatchObject({ body, type, width, height });
  });

  it('has a hash that changes with its picture', () => {
    expect(parseLogo(PNG).hash).toMatch(/^[0-9a-f]{16}$/);
    expect(parseLogo(PNG).hash).not.toBe(parseLogo(pngOf(41, 30)).hash);
  });

  it.each([
    ['an SVG', Buffer.from(SVG)],
    ['an SVG after white space', Buffer.from(`\n ${SVG}`)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a GIF', Buffer.from('GIF89a\x28\x00\x1e\x00')],
    ['an SVG that says PNG', Buffer.from(`<PNG\r\n\x1a\n    IHDR${SVG}`)],
    ['nothing', Buffer.alloc(0)],
  ])('is refused if the file is %s inside', (_what, body) => {
    expect(() => parseLogo(body)).toThrow('expected a PNG, JPEG or WebP; this file is none inside');
  });

  it.each([
    ['a PNG without its header', PNG.subarray(0, 12)],
    ['a PNG of no width', pngOf(0, 10)],
    ['a JPEG without a picture', Buffer.from(JPEG.slice(0, -JPEG_FRAME.length), 'hex')],
    ['a WebP that ends early', WEBP.subarray(0, 18)],
    [
      'an SVG behind the first bytes of a JPEG',
      Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.from(SVG)]),
    ],
  ])('is refused if the file is damaged: %s', (_what, body) => {
    expect(() => parseLogo(body)).toThrow('this one is damaged');
  });

  it.each([
    [MAX_LOGO_PX + 1, 1],
    [1, MAX_LOGO_PX + 1],
    [60_000, 60_000],
  ])('of %d × %d pixels is refused', (width, height) => {
    const large = Buffer.from(PNG);
    large.writeUInt32BE(width, 16);
    large.writeUInt32BE(height, 20);
    expect(() => parseLogo(large)).toThrow(`not ${width} × ${height}; save it smaller`);
  });
});

describe('the file of a logo', () => {
  it('may be in a folder below, and a link within, as Kubernetes has them', () => {
    mkdirSync(join(folder, '..data'));
    writeFileSync(join(folder, '..data/a.png'), PNG);
    symlinkSync('..data/a.png', join(folder, 'a.png'));
    expect(readLogo(folder, 'a.png').body).toEqual(PNG);
    symlinkSync(folder, join(root, 'linked'));
    expect(readLogo(join(root, 'linked'), 'a.png').body).toEqual(PNG);
  });

  it('is refused outside the folder, and through a link that leads out of it', () => {
    mkdirSync(join(root, 'merchants-of-others'));
    writeFileSync(join(root, 'merchants-of-others/a.png'), PNG);
    symlinkSync('../merchants-of-others/a.png', join(folder, 'a.png'));
    symlinkSync('../merchants-of-others', join(folder, 'logos'));
    for (const name of ['a.png', 'logos/a.png', '../merchants-of-others/a.png']) {
      expect(() => readLogo(folder, name)).toThrow(
        'expected a file in the folder of the merchants file',
      );
    }
  });

  it('is refused before it is read if it is too large', () => {
    writeFileSync(join(folder, 'a.png'), Buffer.concat([PNG, Buffer.alloc(MAX_LOGO_BYTES)]));
    const size = PNG.length + MAX_LOGO_BYTES;
    expect(() => readLogo(folder, 'a.png')).toThrow(`at most 65536 bytes, not ${size}`);
  });

  it('that cannot be read is refused in words', () => {
    mkdirSync(join(folder, 'b.png'));
    expect(() => readLogo(folder, 'a.png')).toThrow('there is no such file');
    expect(() => readLogo(folder, 'b.png')).toThrow('it is a folder');
  });
});
