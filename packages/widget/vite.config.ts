import { defineConfig } from 'vite';
import { compileAtOnce } from './bundling/compile-at-once.ts';
import { compileTemplates } from './bundling/compile-templates.ts';
import { leanLit } from './bundling/lean-lit.ts';
import { minifyAgain } from './bundling/minify-again.ts';
import { tightenStyles } from './bundling/tighten-styles.ts';

/** Names that we keep to ourselves. What tabs say to each other is not among them: they may differ. */
const INNER_NAMES = [
  'values index element known session isSent isBack trouble remedy isFollowing isFramed inWindow given checking teller feed tell reply',
  'hostedUrl formLabel lastHint choose redraw hear phases codes card refusedField sdkProblem',
  'way fail leave staysHere declined declines askedLanguage hasWindow show addController hostConnected hostDisconnected hostUpdate ctor parts',
  'configuration hint host prepared properties send styles updated',
];

/** The single file for a page's `<script>`: a classic script that works as a module too. */
export default defineConfig({
  define: { 'import.meta.url': '""' },
  plugins: [
    leanLit(),
    tightenStyles(),
    compileTemplates(),
    minifyAgain(...INNER_NAMES),
    compileAtOnce(),
  ],
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
