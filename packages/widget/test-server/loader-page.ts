import { loadScript } from '../src/sdk/script-loader.ts';

/** The loader on a page of its own, for a test outside that page. */
Object.assign(globalThis, { loadScript });
