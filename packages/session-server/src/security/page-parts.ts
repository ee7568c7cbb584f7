import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { integrityOf } from '../hosted/page-asset.js';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** What of a page can make it do something: scripts by address, and everything else by its text. */
export interface PageParts {
  /** Absolute addresses of scripts. */
  readonly scripts: readonly string[];
  /** Inline scripts, handlers, frames and the like: what it is, and its address or hash. */
  readonly others: readonly string[];
}

/** Types of script elements that browsers run or obey; anything else is data. */
const RUNS =
  /^$|^module$|^importmap$|^speculationrules$|^(text|application)\/(x-)?(java|ecma)script$/;
const ADDRESS_ATTRIBUTES = ['href', 'src', 'action', 'formaction', 'data'];

/** Reads a page as a browser parses it, up to what its scripts do to it later. */
export function findParts(html: string, pageUrl: string): PageParts {
  const scripts: string[] = [];
  const others: string[] = [];
  for (const element of elementsOf(parse(html))) {
    const attributes = new Map(element.attrs.map(({ name, value }) => [name, value]));
    if (element.tagName === 'script') {
      if (!RUNS.test((attributes.get('type') ?? '').trim().toLowerCase())) continue;
      const source = attributes.get('src') ?? attributes.get('href');
      if (source === undefined) others.push(`inline script ${integrityOf(textOf(element))}`);
      else scripts.push(absolute(source, pageUrl));
    }
    others.push(...describe(element.tagName, attributes, pageUrl));
  }
  return { scripts, others };
}

function describe(
  tag: string,
  attributes: ReadonlyMap<string, string>,
  pageUrl: string,
): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of attributes) {
    if (name.startsWith('on')) found.push(`handler ${name} of ${tag} ${integrityOf(value)}`);
    if (name === 'srcdoc') found.push(`srcdoc of ${tag} ${integrityOf(value)}`);
    // Browsers drop tabs and line breaks inside the scheme.
    const scheme = value.replace(/[\s\p{Cc}]/gu, '').toLowerCase();
    if (ADDRESS_ATTRIBUTES.includes(name) && scheme.startsWith('javascript:')) {
      found.push(`javascript: address of ${tag} ${integrityOf(value)}`);
    }
  }
  const address = attributes.get('src') ?? attributes.get('data') ?? attributes.get('href');
  if (['iframe', 'frame', 'object', 'embed', 'base'].includes(tag) && address !== undefined) {
    found.push(`${tag} ${absolute(address, pageUrl)}`);
  }
  const equivalent = attributes.get('http-equiv');
  if (tag === 'meta' && equivalent !== undefined) {
    found.push(`meta ${equivalent.toLowerCase()} ${attributes.get('content') ?? ''}`);
  }
  return found;
}

/** Every element, those inside templates too: a template may be a shadow root, whose scripts run. */
function* elementsOf(node: Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('content' in node) yield* elementsOf(node.content);
  if ('childNodes' in node) for (const child of node.childNodes) yield* elementsOf(child);
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}

function absolute(address: string, pageUrl: string): string {
  return URL.canParse(address, pageUrl) ? new URL(address, pageUrl).href : address;
}
