import { writeFile } from 'node:fs/promises';

import { renderGeneratedFiles } from './generated-files.js';

for (const { url, text } of await renderGeneratedFiles()) await writeFile(url, text);
