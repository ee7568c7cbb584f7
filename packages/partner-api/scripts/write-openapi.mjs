// Writes the OpenAPI document of the build as JSON, for tools that read files.
import { writeFile } from 'node:fs/promises';

import { partnerApiContract } from '../dist/openapi.js';

const target = new URL('../dist/openapi.json', import.meta.url);
await writeFile(target, `${JSON.stringify(partnerApiContract, null, 2)}\n`);
