import type { Plugin } from 'vite';
import { LIT_FACTS } from './lit-facts.ts';
import { type Node, walk } from './syntax-tree.ts';

/**
 * Takes out of Lit what the single file has no use for. It reads Lit's own readable sources, sets the
 * switches as Lit's production build does, and answers what Lit asks at run time where there is only
 * one answer here; the minifier does the rest. A fact that a newer Lit does not ask for any more
 * stops the build.
 */
export function leanLit(): Plugin {
  return {
    name: 'lean-lit',
    config: () => ({ resolve: { conditions: ['development', 'browser', 'module'] } }),
    transform(code, id) {
      const [, name = ''] = /\/(?:lit-\w+|reactive-element)\/development\/([^/]+)$/.exec(id) ?? [];
      const known = LIT_FACTS[name];
      if (!known) return null;
      const insist = (before: string, after: string, wanted: string): string => {
        if (after === before) throw new Error(`${name} of Lit has no such text: ${wanted}`);
        return after;
      };
      // Comments stand between some of the words.
      let lean = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      for (const [asked, always] of known.facts) {
        const words = asked.split(/\s+/).map((word) => word.replace(/\W/g, '\\$&'));
        const pattern = new RegExp(words.join('\\s*'), 'g');
        lean = insist(
          lean,
          lean.replace(pattern, () => always),
          asked,
        );
      }
      for (const member of known.unused ?? []) {
        const found = [...walk(this.parse(lean))].filter((node) => isMember(node, member));
        const kept = found
          .reverse()
          .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), lean);
        lean = insist(lean, kept, member);
      }
      return { code: lean, map: null };
    },
  };
}

function isMember(node: Node, wanted: string): boolean {
  const { type, key } = node as Node & { readonly key?: { name?: string; value?: unknown } };
  return type === 'MethodDefinition' && (key?.name ?? key?.value) === wanted;
}
