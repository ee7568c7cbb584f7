import { html, type TemplateResult } from 'lit';

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with line breaks and colours. It is read token by token, because parsing would lose the digits of
 * `12.30`, and could not read a body that was cut.
 */
export function renderJson(text: string): TemplateResult {
  const parts: (TemplateResult | string)[] = [];
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const breakLine = (): void => void parts.push(`\n${'  '.repeat(Math.max(depth, 0))}`);
  tokens.forEach((token, at) => {
    const next = tokens[at + 1] ?? '';
    if (token === '{' || token === '[') {
      parts.push(token);
      depth += 1;
      if (next !== '}' && next !== ']') breakLine();
      return;
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      const before = tokens[at - 1] ?? '';
      if (before !== '{' && before !== '[') breakLine();
      parts.push(token);
    } else if (token === ',') {
      parts.push(',');
      breakLine();
    } else if (token === ':') {
      parts.push(': ');
    } else {
      const kind = next === ':' ? 'key' : token.startsWith('"') ? 'text' : 'number';
      parts.push(html`<span class="json-${kind}">${token}</span>`);
    }
  });
  return html`${parts}`;
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
