#!/usr/bin/env node
import { create, USAGE } from './create.js';
import { CreateError } from './write-folder.js';

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) process.stdout.write(USAGE);
else {
  try {
    process.stdout.write(`\n${(await create(words)).join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    process.stderr.write(`create-pay-checkout: ${error.message}\n`);
    process.exitCode = 1;
  }
}
