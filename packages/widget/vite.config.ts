import { defineConfig, type Plugin } from 'vite';

/** Takes the line breaks and indents of the sources out of `html` and `css` literals. */
function tightenTemplates(): Plugin {
  return {
    name: 'tighten-templates',
    transform(code, id) {
      if (!/\/src\/pay-checkout\/.*\.ts$/.test(id)) return null;
      return { code: code.replace(/\n\s+/g, '\n'), map: null };
    },
  };
}

/** Writes every letter beyond ASCII as an escape, so that no page's encoding can spoil our words. */
function escapeLetters(): Plugin {
  return {
    name: 'escape-letters',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replace(
          /[\u0080-\uffff]/g,
          (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    },
  };
}

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  define: { 'import.meta.url': '""' },
  plugins: [tightenTemplates(), escapeLetters()],
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: {
      entry: 'src/index.ts',
      formats: ['iife'],
      name: 'PayCheckoutElement',
      fileName: () => 'pay-checkout.js',
    },
  },
});
