import { minify } from 'terser';
import { defineConfig, type Plugin } from 'vite';

/** Takes out of `html` and `css` literals what only makes the sources easy to read. */
function tightenTemplates(): Plugin {
  return {
    name: 'tighten-templates',
    transform(code, id) {
      if (!/\/src\/pay-checkout\/.*\.ts$/.test(id)) return null;
      const tight = code.replace(/\n\s+/g, '\n');
      if (!id.endsWith('.styles.ts'))
        return { code: tight.replace(/>\n(?=<|\$)/g, '>'), map: null };
      return {
        code: tight.replace(/\s*([{},;]|:(?= ))\s*/g, '$1').replaceAll(';}', '}'),
        map: null,
      };
    },
  };
}

/** Names that Lit, and we, keep to ourselves: no page, server or SDK ever says one of them. */
const INNER_NAMES = new RegExp(
  `^(_\\$.*|${[
    'isUpdatePending createRenderRoot strings converter hasUpdated getPropertyOptions fromAttribute',
    'renderOptions getPropertyDescriptor enableUpdating elementStyles firstUpdated setConnected',
    'renderBefore shadowRootOptions getUpdateComplete toAttribute useDefault createProperty',
    'finalizeStyles scheduleUpdate performUpdate finalize shouldUpdate wrapped hasChanged willUpdate',
    'creationScope addInitializer startNode endNode noAccessor known trouble remedy isFollowing',
    'onReport isFramed isAlone showWindow given elsewhere painted inWindow',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
);

/** Minifies once more, with what is safe because all of Lit is in this file and nothing else is. */
function minifyAgain(): Plugin {
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
          mangle: { properties: { regex: INNER_NAMES } },
          // ASCII, so that no page's encoding can spoil our words.
          format: { ascii_only: true },
          toplevel: true,
        });
        // A worker or a server that takes the file in has no page to put an element on.
        file.code = `globalThis.document&&${code}`;
      }
    },
  };
}

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  define: { 'import.meta.url': '""' },
  plugins: [tightenTemplates(), minifyAgain()],
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: {
      entry: 'src/script.ts',
      formats: ['iife'],
      name: 'PayCheckoutElement',
      fileName: () => 'pay-checkout.js',
    },
  },
});
