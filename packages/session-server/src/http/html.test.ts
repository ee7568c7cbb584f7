import { describe, expect, it } from 'vitest';
import { html } from './html.js';

describe('markup', () => {
  it('has every value escaped, in text and in attributes', () => {
    const value = `<script>"&'</script>`;
    expect(html`<p title="${value}">${value}</p>`.text).toBe(
      '<p title="&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;">&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;</p>',
    );
  });

  it('takes markup of its own as it is', () => {
    const link = html`<a href="${'/?a=1&b=2'}">${'a & b'}</a>`;
    expect(html`<p>${link}</p>`.text).toBe('<p><a href="/?a=1&amp;b=2">a &amp; b</a></p>');
  });

  it('keeps dollar signs and empty values as they are', () => {
    expect(html`<p>${'$&'}${''}</p>`.text).toBe('<p>$&amp;</p>');
  });
});
