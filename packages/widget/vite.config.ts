import minifyTemplateLiterals from 'rollup-plugin-minify-template-literals';
import { defineConfig } from 'vite';

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  plugins: [minifyTemplateLiterals({ include: 'src/**', failOnError: true })],
  define: { 'import.meta.url': '""' },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: {
      entry: 'src/script.ts',
      formats: ['iife'],
      name: 'PayCheckoutElement',
      fileName: () => 'pay-checkout.js',
    },
    rolldownOptions: {
      output: {
        // Lets browsers compile the functions while the file arrives, off the main thread.
        postBanner: '//# allFunctionsCalledOnLoad',
        // A worker or a server that loads the file has no page to put an element on.
        intro: 'if (!globalThis.document) return;',
      },
    },
  },
});
