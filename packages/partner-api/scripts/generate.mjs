// Writes the files that are made from the contract; `tsc -p tsconfig.contract.json` comes first.
import { writeFile } from 'node:fs/promises';

const { renderGeneratedFiles } = await import('../.cache/contract/generated-files.js');
for (const { url, text } of await renderGeneratedFiles()) await writeFile(url, text);
