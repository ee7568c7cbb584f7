/** The documents as a site. Their addresses are their paths in the repository, so that links work in both. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginOption } from 'vite';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import * as mermaid from 'vitepress-plugin-mermaid';
import reference from '../reference/[page].paths.js';

/** Its published types do not resolve. */
const { MermaidMarkdown, MermaidPlugin } = mermaid as {
  readonly MermaidMarkdown: (md: MarkdownRenderer, options: object) => void;
  readonly MermaidPlugin: (options: object) => PluginOption;
};

const ROOT = join(import.meta.dirname, '../..');

/** Files that pages link to, and that the site has as they are. */
const ATTACHED = /\.(php|py|json|yaml|webp)$/;
const attached = new Set<string>();

/** Room for tables; a diagram that is wider than a phone scrolls, its texts have the lines that it was measured with. */
const STYLE = `#app .VPDoc.has-aside .content-container { max-width: 54rem }
.mermaid { overflow-x: auto } .mermaid svg { min-width: 40rem }
.vp-doc .mermaid p { margin: 0; line-height: 1.5 }`;

/** A link to a source file leads nowhere on the site: only its text stays. */
function unlinkSources(md: MarkdownRenderer): void {
  md.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isUnlinked = false;
      for (const token of children ?? []) {
        const href = token.attrGet('href') ?? '';
        if (token.type === 'link_open') {
          const isPage = /^(https?:|#)|\.md(#|$)/.test(href);
          if (ATTACHED.test(href)) {
            attached.add(join((env as { relativePath: string }).relativePath, '..', href));
            if (!href.endsWith('.webp')) token.attrSet('download', '');
          }
          isUnlinked = !isPage && !ATTACHED.test(href);
        }
        if (isUnlinked && /^link_/.test(token.type)) {
          token.tag = 'span';
          token.attrs = null;
          if (token.type === 'link_close') isUnlinked = false;
        }
      }
    }
  });
}

const referencePages = new Map(
  reference.paths().map(({ params, content }) => [`docs/reference/${params.page}.md`, content]),
);
const decisions = readdirSync(join(ROOT, 'docs/decisions')).map((file) => ({
  text: `Decision ${readFileSync(join(ROOT, 'docs/decisions', file), 'utf8')
    .slice(2)
    .split('\n', 1)
    .join('')}`,
  link: `/docs/decisions/${file.replace('.md', '')}`,
}));
const docs = (text: string, page: string) => ({ text, link: `/docs/${page}` });
const readme = (text: string, folder: string) => ({ text, link: `/${folder}/README` });

export default defineConfig({
  title: 'Pay Checkout',
  description: 'A checkout tag, and the server that knows for certain that an order is paid.',
  srcDir: ROOT,
  srcExclude: [
    '.changeset/**',
    'packages/*/docs/**',
    'packages/*/ops/**',
    '**/dist/**',
    '.cache/**',
  ],
  // By default any config.ts below srcDir is taken for one of the site.
  additionalConfig: {},
  rewrites: { 'README.md': 'index.md' },
  cacheDir: join(ROOT, '.cache/docs'),
  head: [['style', {}, STYLE]],
  markdown: {
    config(md) {
      MermaidMarkdown(md, {});
      unlinkSources(md);
    },
  },
  vite: {
    plugins: [MermaidPlugin({ securityLevel: 'strict' })],
    optimizeDeps: { include: ['mermaid'] },
    build: { chunkSizeWarningLimit: 3_000 },
    server: { host: '127.0.0.1' },
  },
  buildEnd: ({ outDir }) => {
    for (const file of attached) cpSync(join(ROOT, file), join(outDir, file));
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The search reads files, and the reference has none.
        _render: (text, env, md) =>
          md.renderAsync(text || (referencePages.get(env.relativePath) ?? ''), env),
      },
    },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Overview', link: '/' },
          docs('Quick start', 'quick-start'),
          docs('Take a payment', 'take-a-payment'),
          docs('Receive events', 'receive-events'),
          docs('Go live', 'go-live'),
          docs('Recipes', 'recipes'),
          docs('Testing', 'testing'),
          docs('With the sandbox', 'sandbox'),
          readme('Examples', 'examples'),
          readme('Demo', 'demo'),
        ],
      },
      {
        text: 'The page',
        items: [
          readme('The element', 'packages/widget'),
          readme('React', 'packages/react'),
          docs('Theming', 'theming'),
          docs('States', 'states'),
          docs('Accessibility', 'accessibility'),
          docs('Security', 'security'),
          docs('Wallets', 'wallets'),
          docs('Error codes', 'error-codes'),
        ],
      },
      {
        text: 'The back end',
        items: [
          readme('Library', 'packages/merchant'),
          readme('A shop on your machine', 'packages/create'),
          docs('Order lookup', 'order-lookup'),
          docs('Events', 'events'),
          docs('The dashboard', 'dashboard'),
          docs('Split fees', 'split-fees'),
          docs('Addresses', 'avs'),
        ],
      },
      {
        text: 'The platform',
        items: [
          readme('Session server', 'packages/session-server'),
          readme('Operator', 'packages/operator'),
          docs('Settings', 'settings'),
          docs('Merchants file', 'merchants-file'),
          docs('Deploy', 'operations/deploy'),
          docs('Operate', 'operations/operate'),
          docs('Scale', 'scale'),
          docs('Recover', 'operations/recover'),
          docs('Alerts', 'operations/alerts'),
          docs('Metrics, traces and log', 'observability'),
          docs('Faults', 'operations/faults'),
        ],
      },
      {
        text: 'The provider',
        items: [
          readme('Client', 'packages/partner-api'),
          docs('Command line', 'pay-partner'),
          readme('Sandbox', 'packages/sandbox'),
          docs('Fields of /create-session', 'create-session-fields'),
          docs('Assumptions', 'assumptions'),
        ],
      },
      {
        text: 'Reference',
        items: [
          docs('Element', 'reference/element'),
          docs('HTTP of the session server', 'reference/session-server'),
          docs('HTTP of the provider', 'reference/provider'),
          docs('Switches of the sandbox', 'reference/sandbox'),
        ],
      },
      {
        text: 'The project',
        collapsed: true,
        items: [
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Report a vulnerability', link: '/SECURITY' },
          readme('Drill', 'tools/drill'),
          readme('Simulation', 'tools/simulate'),

          ...decisions,
          { text: 'Changelog', link: '/CHANGELOG' },
        ],
      },
    ],
  },
});
