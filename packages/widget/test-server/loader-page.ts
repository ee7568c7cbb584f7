import { loadScript } from '../src/sdk/script-loader.ts';

/** The loader of a page of its own, for a test that looks at it from outside. */
Object.assign(globalThis, { loadScript });
