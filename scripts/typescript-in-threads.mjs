/**
 * Lets a thread that a test starts run our sources: Node takes the types out by itself, but looks
 * for the `.js` that an import names. For `--import`, see `vitest.config.ts`.
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// Else each of many threads would compile all of it again.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.endsWith('.js') || /\/node_modules\//.test(specifier)) throw error;
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
  },
});
