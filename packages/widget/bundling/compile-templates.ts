import { type DefaultTreeAdapterTypes as Tree, parseFragment, serialize } from 'parse5';
import type { Plugin } from 'vite';
import { type Node, walk } from './syntax-tree.ts';

/** An `html` literal: its static texts, and where its expressions stand in the source. */
interface Template extends Node {
  readonly quasi: {
    readonly quasis: readonly { readonly value: { readonly cooked: string } }[];
    readonly expressions: readonly Node[];
  };
}

/** Events for which an element has a property in every browser. */
const LISTENED = ['cancel', 'click', 'submit'];
const HELPERS_ID = '\0compiled-templates';
const HELPERS = `import { _$LH as lit } from 'lit';
export const template = (h) => (...parts) => {
  const type = { h, parts };
  return (...values) => ({ _$litType$: type, values });
};
export const part = (index, name, ctor = name ? lit._AttributePart : lit._ChildPart) => ({ index, name, ctor });
export const propertyPart = (index, name) => part(index, name, lit._PropertyPart);
`;

/**
 * Reads `html` literals now, into what Lit calls a compiled template, so that no browser has to: the
 * text of a template, and which of its nodes its expressions belong to. As in JSX, white space with
 * a line break at the edge of a tag or an expression is there for the eyes of whoever reads the source.
 */
export function compileTemplates(): Plugin {
  return {
    name: 'compile-templates',
    resolveId: (id) => (id === HELPERS_ID ? id : null),
    load: (id) => (id === HELPERS_ID ? HELPERS : null),
    transform(code, id) {
      if (!/\/src\/pay-checkout\/.*\.ts$/.test(id)) return null;
      const found = [...walk(this.parse(code))].filter(isTemplate);
      if (found.length === 0) return null;
      const compiled: string[] = [];
      const rewrite = (start: number, end: number): string => {
        let at = start;
        let text = '';
        for (const template of found) {
          if (template.start < at || template.end > end) continue;
          const { quasis, expressions } = template.quasi;
          const values = expressions.map((one) => rewrite(one.start, one.end)).join(', ');
          compiled.push(compile(quasis.map(({ value }) => value.cooked)));
          const name = `template${compiled.length}`;
          text += `${code.slice(at, template.start)}${name}(${values})`;
          at = template.end;
        }
        return text + code.slice(at, end);
      };
      const rewritten = rewrite(0, code.length);
      const templates = compiled.map((one, index) => `const template${index + 1} = ${one};\n`);
      const helpers = `import { part, propertyPart, template } from '${HELPERS_ID}';\n`;
      return { code: helpers + templates.join('') + rewritten, map: null };
    },
  };
}

function isTemplate(node: Node): node is Template {
  const { type, tag } = node as Node & { readonly tag?: { readonly name?: string } };
  return type === 'TaggedTemplateExpression' && tag?.name === 'html';
}

/** The source of a `CompiledTemplate` of Lit. */
function compile(texts: readonly string[]): string {
  let html = texts[0] ?? '';
  for (const [index, text] of texts.slice(1).entries()) {
    html += isInTag(html) ? `{{${index}}}` : `<!--{{${index}}}-->`;
    html += text;
  }
  const fragment = parseFragment(html.replace(/(?<=>)\s*\n\s*|\s*\n\s*(?=<)/g, ''));
  const parts: string[] = [];
  let index = 0;
  const read = (node: Tree.Node): void => {
    if ('tagName' in node) {
      node.attrs = node.attrs.filter(({ name, value }) => {
        const isPart = /\{\{\d+\}\}/.test(value);
        if (isPart) parts.push(attributePart(index, name, value));
        return !isPart;
      });
      index += 1;
    } else if (node.nodeName === '#comment') {
      parts.push(`part(${index})`);
      index += 1;
    }
    for (const child of 'childNodes' in node ? node.childNodes : []) read(child);
  };
  read(fragment);
  // What is taken away again ends somewhere, also where other nodes follow the template.
  const end = fragment.childNodes.at(-1)?.nodeName === '#comment' ? '<?>' : '';
  if (parts.length !== texts.length - 1) throw new Error(`cannot compile the template ${html}`);
  // A marker needs no words; and the file is ASCII, in the templates too.
  const written = serialize(fragment)
    .replace(/<!--.*?-->/g, '<?>')
    .replace(/[^\0-\x7f]/gu, (letter) => `&#${letter.codePointAt(0)};`);
  return `template\`${written.replaceAll('\\', '\\\\')}${end}\`(${parts.join(', ')})`;
}

function isInTag(html: string): boolean {
  return html.lastIndexOf('<') > html.lastIndexOf('>');
}

/** The value has to be whole: then a part is one value, and what listens is a property. */
function attributePart(index: number, name: string, value: string): string {
  const [, kind = '', plain = ''] = /^([.@]?)(\w[\w-]*)$/.exec(name) ?? [];
  if (!plain || !/^\{\{\d+\}\}$/.test(value)) throw new Error(`cannot compile ${name}=${value}`);
  if (kind === '@' && !LISTENED.includes(plain)) throw new Error(`cannot listen to ${plain}`);
  const called = JSON.stringify(kind === '@' ? `on${plain}` : plain);
  return kind ? `propertyPart(${index}, ${called})` : `part(${index}, ${called})`;
}
