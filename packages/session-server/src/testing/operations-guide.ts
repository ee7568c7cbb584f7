import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/** The pages of the operations guide, and the reference that goes with them, one after the other. */
export function readOperationsGuide(): string {
  const pages = readdirSync(join(ROOT, 'docs/operations'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/operations/${file}`);
  return [
    ...pages,
    'docs/settings.md',
    'docs/observability.md',
    'packages/session-server/README.md',
  ]
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
}
