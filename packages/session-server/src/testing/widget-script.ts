import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a script with its hash, as a build of the element does; answers its path. */
export function writeWidgetScript(folder: string, text = '/* the element */'): string {
  const path = join(folder, 'pay-checkout.js');
  const hash = createHash('sha384').update(text).digest('base64');
  writeFileSync(path, text);
  writeFileSync(`${path}.integrity`, `sha384-${hash}\n`);
  return path;
}
