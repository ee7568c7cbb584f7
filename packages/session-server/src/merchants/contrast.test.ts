import { describe, expect, it } from 'vitest';
import { contrastOf, textOn } from './contrast.js';

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#595959', '#ffffff', 7],
    ['#ff0000', '#ffffff', 4],
    ['#00FF00', '#ffffff', 1.37],
    ['#0000ff', '#ffffff', 8.59],
    ['#ff0000', '#000000', 5.25],
    ['#0000ff', '#ff0000', 2.15],
  ])('of %s and %s is %d, in either order', (one, other, expected) => {
    expect(contrastOf(one, other)).toBeCloseTo(expected, 2);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });
});

describe('the text on an accent', () => {
  it.each([
    ['#7a2e5d', '#ffffff'],
    ['#ffd34d', '#000000'],
    ['#ffffff', '#000000'],
    ['#000000', '#ffffff'],
    ['#e05a1c', '#000000'],
  ])('on %s is %s', (accent, text) => {
    expect(textOn(accent)).toBe(text);
  });

  it('is readable on every colour', () => {
    const channel = Array.from({ length: 18 }, (_, step) =>
      (step * 15).toString(16).padStart(2, '0'),
    );
    const colours = channel.flatMap((red) =>
      channel.flatMap((green) => channel.map((blue) => `#${red}${green}${blue}`)),
    );
    expect(colours).toHaveLength(5832);
    expect(colours.filter((colour) => contrastOf(textOn(colour), colour) < 4.5)).toEqual([]);
  });
});
