/** The first snippet of the quick start for merchants in `language` that has `words` in it. */
export async function quickStartSnippet(language: string, words: string): Promise<string> {
  const page = await (await fetch('/docs/quick-start.md')).text();
  const snippets = [...page.matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const [, , found] =
    snippets.find(([, of, text]) => of === language && text?.includes(words)) ?? [];
  if (found === undefined) throw new Error(`the quick start has no ${language} with ${words}`);
  return found;
}
