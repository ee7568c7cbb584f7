import { minify } from 'terser';
import type { Plugin } from 'vite';

/** Names that Lit keeps to itself: no page, server or SDK ever says one of them. */
const LIT_NAMES = [
  'isUpdatePending createRenderRoot strings converter hasUpdated getPropertyOptions fromAttribute',
  'renderOptions getPropertyDescriptor enableUpdating elementStyles firstUpdated setConnected',
  'renderBefore shadowRootOptions getUpdateComplete toAttribute useDefault createProperty',
  'finalizeStyles scheduleUpdate performUpdate finalize shouldUpdate wrapped hasChanged willUpdate',
  'creationScope addInitializer startNode endNode noAccessor reflect attribute',
];

/**
 * Minifies once more, with what is safe because all of Lit is in this file and nothing else is.
 *
 * @param names More names of properties that nobody outside says, apart by spaces.
 */
export function minifyAgain(...names: readonly string[]): Plugin {
  const inner = [...LIT_NAMES, ...names].join(' ').replaceAll(' ', '|');
  return {
    name: 'minify-again',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const { code = file.code } = await minify(file.code, {
          compress: {
            passes: 3,
            unsafe_arrows: true,
            unsafe_methods: true,
            pure_getters: true,
            keep_fargs: false,
            sequences: false,
          },
          mangle: {
            properties: {
              // Browsers have some of these names too; nothing here means theirs.
              builtins: true,
              regex: new RegExp(`^(_\\$.*|__(?!proto__)\\w+|_[a-zA-Z]\\w*|${inner})$`),
            },
          },
          // ASCII, so that no page's encoding can spoil our words, and a browser keeps a byte for each.
          format: { ascii_only: true },
          toplevel: true,
        });
        // What is left stands in a template, where nothing can be written in another way.
        const [foreign] = /[^\0-\x7f]/.exec(code) ?? [];
        if (foreign) throw new Error(`write ${foreign} in the sources as an escape sequence`);
        // A worker or a server that takes the file in has no page to put an element on.
        file.code = `globalThis.document&&${code}`;
      }
    },
  };
}
