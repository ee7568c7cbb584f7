/** Started by npx: says which Node it runs on, and in which folder npx has put pnpm. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const path = process.env.PATH ?? process.env.Path ?? '';
const [npxFolder = ''] = path.split(delimiter);
const pnpmFolder = existsSync(join(npxFolder, 'pnpm')) ? npxFolder : '';
console.log(JSON.stringify({ node: process.execPath, pnpmFolder }));
