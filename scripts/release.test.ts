import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './committed-files.mjs';
import { checkPublishable } from './release.mjs';

describe('a release', () => {
  it.each(readdirSync(join(ROOT, 'packages')))('of %s is public and with provenance', (name) => {
    const file = join(ROOT, 'packages', name, 'package.json');
    const { publishConfig } = JSON.parse(readFileSync(file, 'utf8')) as { publishConfig?: unknown };
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
  });

  it('publishes nothing while a package does not name its repository', () => {
    const named = { name: 'a', repository: 'https://code.example/a' };
    expect(() => checkPublishable([named])).not.toThrow();
    expect(() => checkPublishable([named, { name: 'b' }])).toThrow('names its repository: b.');
  });
});
