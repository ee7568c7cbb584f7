import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './committed-files.mjs';

/** The instructions of the Dockerfile that a test needs. */
export function readDockerfile() {
  const text = readFileSync(join(ROOT, 'ops/Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '');
  const find = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(text)?.[1] ?? '';
  const list = (words: string) => JSON.parse(words.slice(words.indexOf('['))) as string[];
  return {
    FROM: find('FROM'),
    ENV: Object.fromEntries(
      find('ENV')
        .split(/ +/)
        .map((pair) => pair.split('=')),
    ) as Record<string, string>,
    USER: find('USER'),
    HEALTHCHECK: list(find('HEALTHCHECK')),
    CMD: list(find('CMD')),
  };
}
