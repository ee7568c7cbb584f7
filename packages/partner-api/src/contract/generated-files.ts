import { format, resolveConfig } from 'prettier';

import { renderOpenApiDocument } from './openapi-document.js';
import { renderChecks } from './render-checks.js';

/** Where the generated files are, seen from a package's `src` or from its compiled twin. */
const FOLDER = new URL('../../src/generated/', import.meta.url);

/** A file that is made from the contract and committed. */
export interface GeneratedFile {
  readonly url: URL;
  readonly text: string;
}

/** Makes every generated file, formatted as all other files are. */
export async function renderGeneratedFiles(): Promise<readonly GeneratedFile[]> {
  const document = JSON.stringify(renderOpenApiDocument(), null, 2);
  const openApi =
    '// Made from src/contract by `pnpm generate`; do not edit.\n\n' +
    "/** The provider's interface as an OpenAPI 3.1 document; `x-not-shown` marks what is open. */\n" +
    `export const partnerApiContract = ${document} as const;\n`;
  return Promise.all([
    formatted('reply-checks.ts', renderChecks()),
    formatted('openapi.ts', openApi),
  ]);
}

async function formatted(name: string, text: string): Promise<GeneratedFile> {
  const url = new URL(name, FOLDER);
  const config = await resolveConfig(url);
  return { url, text: await format(text, { ...config, parser: 'typescript' }) };
}
