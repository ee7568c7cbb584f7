/** How many there are, in words: `1 transaction`, `2 transactions`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
