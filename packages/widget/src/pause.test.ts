import { expect } from '@open-wc/testing';
import { backOffMs } from './pause.js';

/** The largest number that `Math.random()` can give. */
const ALMOST_ONE = 1 - Number.EPSILON / 2;

describe('the pause before another try', () => {
  const { random } = Math;
  afterEach(() => (Math.random = random));

  /** The pauses before the tries 1 to 7, and before one that comes after hours. */
  function pausesAt(chance: number): readonly number[] {
    Math.random = () => chance;
    return [1, 2, 3, 4, 5, 6, 7, 2000].map((tries) => Math.round(backOffMs(tries)));
  }

  it('doubles from half a second up to fifteen seconds, and stays there', () => {
    const pauses = [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000];
    expect(pausesAt(0.5)).to.deep.equal(pauses);
  });

  it('is a quarter less at the least', () => {
    const pauses = [375, 750, 1500, 3000, 6000, 11_250, 11_250, 11_250];
    expect(pausesAt(0)).to.deep.equal(pauses);
  });

  it('and a quarter more at the most, so that not all browsers come back at once', () => {
    const pauses = [625, 1250, 2500, 5000, 10_000, 18_750, 18_750, 18_750];
    expect(pausesAt(ALMOST_ONE)).to.deep.equal(pauses);
  });
});
