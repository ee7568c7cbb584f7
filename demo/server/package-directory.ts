/** Where a package of this workspace is, from the sources and from the build alike. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Directory of the package that Node finds under this name. */
export function findPackageDirectory(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
