import { expect } from '@open-wc/testing';
import { chooseWay, surroundings, type Mode, type Way } from './modes.js';

const PLAIN = { navigates: false, isFramed: false, isAlone: false };

describe('where the payment happens', () => {
  const cases: readonly (readonly [Mode | 'sideways' | null, Partial<typeof PLAIN>, Way])[] = [
    ['inline', { navigates: true, isFramed: true, isAlone: true }, 'inline'],
    ['overlay', { isFramed: true, isAlone: true }, 'overlay'],
    ['overlay', { navigates: true }, 'redirect'],
    ['overlay', { navigates: true, isFramed: true }, 'popup'],
    ['redirect', {}, 'redirect'],
    ['popup', {}, 'popup'],
    ['popup', { isFramed: true }, 'popup'],
    ['popup', { isAlone: true }, 'redirect'],
    ['auto', {}, 'inline'],
    ['auto', { isFramed: true }, 'inline'],
    ['auto', { isAlone: true }, 'inline'],
    ['auto', { navigates: true }, 'redirect'],
    ['auto', { navigates: true, isFramed: true }, 'popup'],
    ['auto', { navigates: true, isFramed: true, isAlone: true }, 'redirect'],
    [null, {}, 'inline'],
    ['sideways', {}, 'inline'],
  ];
  for (const [mode, around, way] of cases) {
    it(`${mode} with ${JSON.stringify(around)} is ${way}`, () => {
      expect(chooseWay(mode, { ...PLAIN, ...around })).to.equal(way);
    });
  }

  it('an app that shows pages without windows of their own is known by its name', () => {
    const real = navigator.userAgent;
    const called = (userAgent: string): boolean => {
      Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true });
      return surroundings(false).isAlone;
    };
    const apple = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15';
    expect(called(`${apple} (KHTML, like Gecko) Mobile/15E148`)).to.equal(true);
    expect(called(`${apple} (KHTML, like Gecko) Version/19.0 Safari/604.1`)).to.equal(false);
    expect(called('Mozilla/5.0 (Linux; Android 16; Phone; wv) Chrome/140.0')).to.equal(true);
    expect(called(real)).to.equal(false);
    Reflect.deleteProperty(navigator, 'userAgent');
  });
});
