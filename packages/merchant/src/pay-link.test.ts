/** Pay by link: what a camera reads, and what a mail program shows. */
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { makePayLinkMessage, makeQrCode } from './pay-link.js';

const PAY_URL = `https://pay.example/v1/pay/teashop/A1001.1798761600.${'aB3-_'.repeat(9)}`;
const LINK = { shop: 'Teashop', order: 'A1001', amount: '9.99', currency: 'GBP', payUrl: PAY_URL };

/** Draws the path of the SVG: squares of one module, each beside the one before. */
function draw(svg: string): { width: number; height: number; data: Uint8Array } {
  const side = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const scale = 4;
  const width = side * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, dx, dy] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)/g)) {
    x = Number(dx) + (command === 'm' ? x : 0);
    y = Number(dy) + (command === 'm' ? y : 0);
    for (let row = y * scale; row < (y + 1) * scale; row += 1) {
      const start = (row * width + x * scale) * 4;
      for (let at = start; at < start + scale * 4; at += 4) data.fill(0, at, at + 3);
    }
  }
  return { width, height: width, data };
}

describe('the QR code', () => {
  it('is read by a camera as the very link', () => {
    expect(decodeQR(draw(makeQrCode(PAY_URL)))).toBe(PAY_URL);
  });

  it('has a white ground and the margin of the standard', () => {
    const svg = makeQrCode(PAY_URL);
    expect(svg).toMatch(
      /^<svg [^>]+><rect width="100%" height="100%" fill="#fff"\/><path d="M4 4h/,
    );
  });

  it.each(['javascript:alert(1)', '/v1/pay/teashop', ''])('is refused for %j', (payUrl) => {
    const refusal = expect.objectContaining({ code: 'invalid_argument', field: 'payUrl' }) as Error;
    expect(() => makeQrCode(payUrl)).toThrow(refusal);
    expect(() => makePayLinkMessage({ ...LINK, payUrl })).toThrow(refusal);
  });
});

describe('the message', () => {
  it('says who asks, what for, how much and where to pay, in text and in HTML', () => {
    expect(makePayLinkMessage(LINK)).toEqual({
      subject: 'Pay Teashop for order A1001',
      text: `Teashop asks you to pay £9.99 for order A1001.\n\nPay here:\n${PAY_URL}\n`,
      html: `<p>Teashop asks you to pay £9.99 for order A1001.</p>\n<p><a href="${PAY_URL}">Pay £9.99</a></p>\n`,
    });
  });

  it('has no markup and no header of a shop’s name', () => {
    const message = makePayLinkMessage({
      ...LINK,
      shop: 'T&J <b>"Tea"</b>\r\nBcc: x@example.test',
    });
    expect(message.subject).not.toMatch(/[\r\n]/);
    expect(message.html).not.toContain('<b>');
    expect(message.html).toContain('T&#38;J &#60;b&#62;&#34;Tea&#34;');
  });

  it('states large amounts exactly, and amounts in the decimals of the currency', () => {
    const priceOf = (amount: string, currency: string) =>
      makePayLinkMessage({ ...LINK, amount, currency }).text;
    expect(priceOf('90071992547409931.23', 'GBP')).toContain('£90,071,992,547,409,931.23');
    expect(priceOf('1200', 'JPY')).toContain('JP¥1,200');
    expect(priceOf('1.250', 'KWD')).toContain('1.250');
  });

  it.each([
    ['amount', { amount: '9,99' }],
    ['currency', { currency: 'pounds' }],
  ])('is refused for an %s of another form', (field, change) => {
    const refusal = expect.objectContaining({ code: 'invalid_argument', field }) as Error;
    expect(() => makePayLinkMessage({ ...LINK, ...change })).toThrow(refusal);
  });
});
