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

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  define: { 'import.meta.url': '""' },
  plugins: [tightenTemplates()],
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
