import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../../docs/operations');

/** The pages of the operations guide, one after the other. */
export function readOperationsGuide(): string {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('\n');
}
