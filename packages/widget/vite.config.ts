import { defineConfig } from 'vite';
import { compileTemplates } from './bundling/compile-templates.ts';
import { leanLit } from './bundling/lean-lit.ts';
import { minifyAgain } from './bundling/minify-again.ts';
import { tightenStyles } from './bundling/tighten-styles.ts';

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  define: { 'import.meta.url': '""' },
  plugins: [leanLit(), tightenStyles(), compileTemplates(), minifyAgain()],
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
