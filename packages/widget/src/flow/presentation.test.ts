import { expect } from '@open-wc/testing';
import { choosePresentation, type Mode, type Presentation } from './presentation.js';

const PLAIN = { navigates: false, isFramed: false, isForeign: false };
const FOREIGN = { isFramed: true, isForeign: true };

describe('where the payment happens', () => {
  const cases: readonly (readonly [
    Mode | 'sideways' | null,
    Partial<typeof PLAIN>,
    Presentation,
  ])[] = [
    ['inline', { navigates: true, isFramed: true }, 'inline'],
    ['overlay', { isFramed: true }, 'overlay'],
    ['overlay', { navigates: true }, 'redirect'],
    ['overlay', { navigates: true, isFramed: true }, 'popup'],
    ['redirect', {}, 'redirect'],
    ['redirect', { isFramed: true }, 'redirect'],
    ['redirect', FOREIGN, 'popup'],
    ['inline', FOREIGN, 'inline'],
    ['overlay', FOREIGN, 'overlay'],
    ['popup', {}, 'popup'],
    ['popup', { isFramed: true }, 'popup'],
    ['auto', {}, 'inline'],
    ['auto', { isFramed: true }, 'inline'],
    ['auto', { navigates: true }, 'redirect'],
    ['auto', { navigates: true, isFramed: true }, 'popup'],
    [null, {}, 'inline'],
    ['sideways', {}, 'inline'],
  ];
  for (const [mode, around, way] of cases) {
    it(`${mode} with ${JSON.stringify(around)} is ${way}`, () => {
      const { navigates, isFramed, isForeign } = { ...PLAIN, ...around };
      expect(choosePresentation(mode, navigates, isFramed, isForeign)).to.equal(way);
    });
  }

  it('no window is opened in an app that shows pages without: it is known by its name', () => {
    const real = navigator.userAgent;
    const ways = (userAgent: string): readonly Presentation[] => {
      Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true });
      return [
        choosePresentation('popup', false),
        choosePresentation('auto', true, true),
        choosePresentation('overlay', false),
        choosePresentation('auto', false),
      ];
    };
    const inApp = ['redirect', 'redirect', 'overlay', 'inline'];
    const inBrowser = ['popup', 'popup', 'overlay', 'inline'];
    const apple = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15';
    expect(ways(`${apple} (KHTML, like Gecko) Mobile/15E148`)).to.deep.equal(inApp);
    expect(ways(`${apple} (KHTML, like Gecko) Version/19.0 Safari/604.1`)).to.deep.equal(inBrowser);
    expect(ways('Mozilla/5.0 (Linux; Android 16; Phone; wv) Chrome/140.0')).to.deep.equal(inApp);
    expect(ways(real)).to.deep.equal(inBrowser);
    Reflect.deleteProperty(navigator, 'userAgent');
  });

  it('no window is opened where it could send no message: in a page that is cross-origin isolated', () => {
    const real = Object.getOwnPropertyDescriptor(globalThis, 'crossOriginIsolated');
    Object.defineProperty(globalThis, 'crossOriginIsolated', { value: true, configurable: true });
    try {
      expect(choosePresentation('popup', false)).to.equal('redirect');
      expect(choosePresentation('auto', true, true)).to.equal('redirect');
      expect(choosePresentation('overlay', true, true)).to.equal('redirect');
      expect(choosePresentation('overlay', false)).to.equal('overlay');
      expect(choosePresentation('auto', false)).to.equal('inline');
    } finally {
      Object.defineProperty(globalThis, 'crossOriginIsolated', real as PropertyDescriptor);
    }
    expect(choosePresentation('popup', false)).to.equal('popup');
  });
});
