import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommittedFiles, ROOT } from './committed-files.mjs';

const TEXT =
  /(\.([cm]?[jt]sx?|json|ya?ml|md|css|html|svg|sh|txt)|\/run|LICENSE|\.(npmrc|nvmrc|editorconfig|gitignore))$/;

/**
 * Names of card schemes and payment providers, each as the start of its SHA-256, because
 * this file may not contain them either. To add one:
 * `node -p "crypto.createHash('sha256').update('name').digest('hex').slice(0, 16)"`
 */
const BRANDS = new Set<string>([
  '066b5b5ad80702e1',
  '07863e7a6a2154ba',
  '233e1cded61ace81',
  '2a82e52f9257715a',
  '2bed2032ed3d8300',
  '35296af6701a647b',
  '3ad26c5abab876c9',
  '3b03d4b408671f86',
  '3d5a906caa1a4fcd',
  '3f9d6ae763adc5d7',
  '4fa689ddf76bc57a',
  '5344ae4677efc34b',
  '54bb00789e2a3eda',
  '59eb5e3aee8c2156',
  '5cd2553974ac3166',
  '5ff639667c1dfe2b',
  '7b4c98e6c99504dd',
  '88e2cce43eeadb36',
  '9224389d70ec9b71',
  'a00fa4f423d17f5f',
  'a2afeec49a4a4c3d',
  'a480a469d4e9ebf4',
  'a5c1835f2f1f4d4d',
  'afe4d16f403a383f',
  'd31300d0ceaf709f',
  'e2d67f41fee239d1',
  'e539cb6d872a97e5',
  'e759968ca9278b8d',
  'ee46e2d141d53f08',
  'ffa76c268440f220',
]);

/** A home folder, a mounted volume or a temporary folder of the author's machine. */
const MACHINE_PATH = /(?<![\w.*}~-])\/(home|Users|root|work|mnt|var\/folders)\/[\w.-]+/;

const texts = listCommittedFiles()
  .filter((file) => TEXT.test(`/${file}`))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

describe('house rules', () => {
  it('the lockfile names no registry', () => {
    const lockfile = readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8');
    expect(lockfile.match(/https?:\/\/[^\s'"}]+|tarball:/g) ?? []).toEqual([]);
  });

  it('no committed text names a folder of one machine', () => {
    const found = texts.flatMap(({ file, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          MACHINE_PATH.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
    expect(found).toEqual([]);
  });

  it('no source has an enum: a union of literals says the same', () => {
    const found = texts
      .filter(
        ({ file, text }) => /\.tsx?$/.test(file) && /^\s*(export )?(const )?enum \w/m.test(text),
      )
      .map(({ file }) => file);
    expect(found).toEqual([]);
  });

  it('no committed text names a card scheme or a provider', () => {
    const known = new Map<string, boolean>();
    const isBrand = (word: string): boolean => {
      let answer = known.get(word);
      if (answer === undefined) {
        answer = BRANDS.has(createHash('sha256').update(word).digest('hex').slice(0, 16));
        known.set(word, answer);
      }
      return answer;
    };
    const found = texts
      // One of the names is an everyday word in Swedish.
      .filter(({ file }) => !/^pnpm-lock\.yaml$|languages.sv\.json$/.test(file))
      .flatMap(({ file, text }) => {
        const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
        const pairs = words.map((word, index) => `${word} ${words[index + 1] ?? ''}`);
        return [...words, ...pairs].filter(isBrand).map((word) => `${file}: ${word}`);
      });
    expect(found).toEqual([]);
  });
});
