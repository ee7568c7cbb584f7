/** Cards of the sandbox that are worth trying first; no real card begins with a 9. */

export interface TestCard {
  readonly number: string;
  readonly story: string;
}

export const TEST_CARDS: readonly TestCard[] = [
  { number: '9000 0000 0000 0001', story: 'is approved' },
  { number: '9000 0000 0000 0019', story: 'is declined; then try another one' },
  { number: '9000 0000 0000 0027', story: 'asks for a code first, and the code is 1234' },
];
