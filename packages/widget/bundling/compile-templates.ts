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

/** What tells Lit's kinds of attributes apart. */
const KINDS: Readonly<Record<string, string>> = {
  '.': '_PropertyPart',
  '?': '_BooleanAttributePart',
  '@': '_EventPart',
};
const HELPERS_ID = '\0compiled-templates';
const HELPERS = `import { _$LH as lit } from 'lit';
export { lit };
export const inChild = (index) => ({ type: 2, index });
const whole = ['', ''];
export const inAttribute = (index, name, ctor = lit._AttributePart, strings = whole) =>
  ({ type: 1, index, name, ctor, strings });
export const raw = (strings) => strings;
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
          text += `${code.slice(at, template.start)}({ _$litType$: ${name}, values: [${values}] })`;
          at = template.end;
        }
        return text + code.slice(at, end);
      };
      const rewritten = rewrite(0, code.length);
      const templates = compiled.map((one, index) => `const template${index + 1} = ${one};\n`);
      const helpers = `import { inAttribute, inChild, lit, raw } from '${HELPERS_ID}';\n`;
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
        const strings = value.split(/\{\{\d+\}\}/);
        if (strings.length > 1) parts.push(attributePart(index, name, strings));
        return strings.length === 1;
      });
      index += 1;
    } else if (node.nodeName === '#comment') {
      parts.push(`inChild(${index})`);
      index += 1;
    }
    for (const child of 'childNodes' in node ? node.childNodes : []) read(child);
  };
  read(fragment);
  if (parts.length !== texts.length - 1) throw new Error(`cannot compile the template ${html}`);
  // A marker needs no words; and the file is ASCII, in the templates too.
  const written = serialize(fragment)
    .replace(/<!--.*?-->/g, '<?>')
    .replace(/[^\0-\x7f]/gu, (letter) => `&#${letter.codePointAt(0)};`);
  return `{ h: raw\`${written.replaceAll('\\', '\\\\')}\`, parts: [${parts.join(', ')}] }`;
}

function isInTag(html: string): boolean {
  return html.lastIndexOf('<') > html.lastIndexOf('>');
}

function attributePart(index: number, name: string, strings: readonly string[]): string {
  const [, kind = '', plain] = /^([.?@]?)(.*)$/.exec(name) ?? [];
  const parameters: unknown[] = [index, JSON.stringify(plain)];
  const isWhole = strings.every((text) => text === '');
  if (kind || !isWhole) parameters.push(kind ? `lit.${KINDS[kind]}` : 'undefined');
  if (!isWhole) parameters.push(JSON.stringify(strings));
  return `inAttribute(${parameters.join(', ')})`;
}
