/** Markup that is safe to send: made by {@link html} only. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Joins markup and values; every value is escaped, and attributes must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const text = values.map((value) =>
    value instanceof Html ? value.text : value.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? ''),
  );
  return new Html(parts.map((part, index) => part + (text[index] ?? '')).join(''));
}
