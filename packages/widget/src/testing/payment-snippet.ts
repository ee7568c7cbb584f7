/** The first snippet of the merchant's page about the tag, in `language` that has `words` in it. */
export async function paymentSnippet(language: string, words: string): Promise<string> {
  const page = await (await fetch('/docs/take-a-payment.md')).text();
  const snippets = [...page.matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const [, , found] =
    snippets.find(([, of, text]) => of === language && text?.includes(words)) ?? [];
  if (found === undefined) throw new Error(`take-a-payment.md has no ${language} with ${words}`);
  return found;
}
