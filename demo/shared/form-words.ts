/** What a form says about fields that are not filled in well, in English. */
export const formWords = {
  checkMarked: 'Please check the marked fields',
  enter: (label: string) => `Enter ${withArticle(label)}`,
  check: (label: string, problem: string) => `Check ${withArticle(label)}: ${problem}`,
};

export type FormWords = typeof formWords;

function withArticle(label: string): string {
  const name = label.toLowerCase();
  const article = /^(address line|where)/.test(name) ? '' : /^[aeiou]/.test(name) ? 'an ' : 'a ';
  return article + name;
}
