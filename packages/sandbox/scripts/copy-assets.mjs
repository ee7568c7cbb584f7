/** Copies files that browsers load unchanged to the compiled server. */
import { cpSync } from 'node:fs';

cpSync(new URL('../src/browser/', import.meta.url), new URL('../dist/browser/', import.meta.url), {
  recursive: true,
  filter: (path) => !path.endsWith('.json'),
});
