/** Writes the script's hash next to it: a session server serves only a script that matches its hash. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const script = new URL('dist/pay-checkout.js', import.meta.url);
const hash = createHash('sha384').update(readFileSync(script)).digest('base64');
writeFileSync(new URL('dist/pay-checkout.js.integrity', import.meta.url), `sha384-${hash}\n`);
