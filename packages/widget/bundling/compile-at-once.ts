import type { Plugin } from 'vite';

/** What a file has to begin with, before anything else. */
const WORDS = '//# allFunctionsCalledOnLoad';

/**
 * Asks browsers that know the words to compile every function while the file arrives, in a thread
 * beside the page's; else each is read a second time, by the main thread, when it is first called.
 * Comes last: a minifier takes comments out.
 */
export function compileAtOnce(): Plugin {
  return {
    name: 'compile-at-once',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = `${WORDS}\n${file.code}`;
      }
    },
  };
}
