import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { signOrderToken } from '../orders/order-token.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

const CHECKING = 'We are checking your payment. Please do not pay again.';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

async function openedSession(order: string) {
  const { body } = await stack.open(order, { amount: '9.99' });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

async function stateOf(checkout: string): Promise<string | undefined> {
  const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
  return body.checkouts[0]?.state;
}

describe('a return address', () => {
  it.each([
    ['RedirectUrl', 'returned', 'return'],
    ['CancelUrl', 'cancelled', 'cancel'],
    ['backurl', 'left', 'back'],
  ] as const)(
    '%s makes the checkout %s, and leads to the merchant’s page',
    async (field, state, kind) => {
      const order = `A-${field}`;
      const { checkout, sessionId } = await openedSession(order);
      const path = stack.returnPath(sessionId, field);
      const { status, text, headers } = await stack.fetch(`${path}?any=query&is=fine`);
      expect(status).toBe(200);
      expect(await stateOf(checkout)).toBe(state);
      const onward = `${SHOP_ORIGIN}/result?order=${order}&amp;checkout=${checkout}&amp;kind=${kind}`;
      expect(text).toContain(`href="${onward}"`);
      expect(headers.get('content-security-policy')).toContain(
        `frame-ancestors 'self' ${SHOP_ORIGIN}`,
      );
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  it('typed by hand never makes an order paid', async () => {
    const { checkout, sessionId } = await openedSession('A1');
    for (let visit = 0; visit < 3; visit += 1) {
      await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    }
    expect(await stateOf(checkout)).toBe('returned');
  });

  it('takes a POST as well', async () => {
    const { checkout, sessionId } = await openedSession('A2');
    const path = stack.returnPath(sessionId, 'RedirectUrl');
    const { status } = await stack.fetch(path, {
      method: 'POST',
      body: new URLSearchParams({ a: '1' }),
    });
    expect(status).toBe(200);
    expect(await stateOf(checkout)).toBe('returned');
  });

  it('does nothing for HEAD', async () => {
    const { checkout, sessionId } = await openedSession('A3');
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'), { method: 'HEAD' });
    expect(await stateOf(checkout)).toBe('open');
  });

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'prerender'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('does nothing for a browser that only guesses: %s: %s', async (name, purpose) => {
    const { checkout, sessionId } = await openedSession(`P-${name}-${purpose.slice(0, 3)}`);
    const path = stack.returnPath(sessionId, 'CancelUrl');
    const { text } = await stack.fetch(path, { headers: { [name]: purpose } });
    expect(text).toBe('');
    expect(await stateOf(checkout)).toBe('open');
  });

  it('lets its page load nothing of others, be kept in no cache, and report to the merchant’s pages only', async () => {
    const { sessionId } = await openedSession('A6');
    const { headers, text } = await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    expect(headers.get('content-security-policy')).toBe(
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "frame-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        `frame-ancestors 'self' ${SHOP_ORIGIN}`,
      ].join('; '),
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect(text).toContain(`data-origins="${SHOP_ORIGIN} http://pay.localhost:4200"`);
  });

  it('is not made of the token of a webhook', async () => {
    const { checkout, sessionId } = await openedSession('A7');
    const token = stack.webhookPath(sessionId).split('/').at(-1) ?? '';
    expect((await stack.fetch(`/v1/return/${token}`)).status).toBe(404);
    expect(await stateOf(checkout)).toBe('open');
  });

  it('of a session that was superseded leaves the newer one alone', async () => {
    const { sessionId: older } = await openedSession('A4');
    const { body } = await stack.reopen('A4', { renew: older });
    await stack.fetch(stack.returnPath(older, 'CancelUrl'));
    expect(await stateOf(body.checkout)).toBe('open');
  });

  it('that was never given out is a 404 in words', async () => {
    const { status, text } = await stack.fetch(`/v1/return/${'A'.repeat(22)}`);
    expect(status).toBe(404);
    expect(text).toContain('Page not found');
  });

  it('of a cancel that is visited again changes nothing once the shopper has gone on to pay', async () => {
    const { checkout, sessionId } = await openedSession('A8');
    const cancel = stack.returnPath(sessionId, 'CancelUrl');
    await stack.fetch(cancel);
    await stack.reopen('A8');
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.fetch(cancel);
    expect(await stateOf(checkout)).toBe('returned');
    await stack.payAtProvider(sessionId);
    await stack.until(checkout, 'paid');
    await stack.fetch(cancel);
    expect(await stateOf(checkout)).toBe('paid');
  });

  it('of a cancel that is visited again while the form is open costs the shopper a press, and no payment', async () => {
    const { checkout, sessionId } = await openedSession('A9');
    const cancel = stack.returnPath(sessionId, 'CancelUrl');
    await stack.fetch(cancel);
    await stack.reopen('A9');
    await stack.fetch(cancel);
    expect(await stateOf(checkout)).toBe('cancelled');
    expect((await stack.reopen('A9')).body).toMatchObject({ checkout, sessionId, state: 'open' });
    await stack.fetch(cancel);
    await stack.payAtProvider(sessionId);
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.until(checkout, 'paid');
  });

  it.each([
    ['CancelUrl', 'cancelled'],
    ['backurl', 'left'],
  ] as const)('%s changes nothing while a submitted payment is pending', async (field, state) => {
    const { checkout, sessionId } = await openedSession(`A10-${field}`);
    const hint = (kind: string) =>
      stack.post(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });
    await hint('submitted');
    const path = stack.returnPath(sessionId, field);
    await stack.fetch(path);
    expect(await stateOf(checkout)).toBe('open');
    await hint('declined');
    await stack.fetch(path);
    expect(await stateOf(checkout)).toBe(state);
  });

  it('says what is known, whichever of them is visited', async () => {
    const { checkout, sessionId } = await openedSession('A11');
    const said = async (field: 'CancelUrl' | 'backurl' | 'RedirectUrl') => {
      const { text } = await stack.fetch(stack.returnPath(sessionId, field));
      return /<h1>(.*)<\/h1>/.exec(text)?.[1];
    };
    expect(await said('CancelUrl')).toBe('You left the payment page.');
    await stack.reopen('A11');
    expect(await said('RedirectUrl')).toBe(CHECKING);
    expect(await said('CancelUrl')).toBe(CHECKING);
    await stack.payAtProvider(sessionId);
    await stack.until(checkout, 'paid');
    for (const field of ['CancelUrl', 'backurl', 'RedirectUrl'] as const) {
      expect(await said(field)).toBe('Payment received. Thank you.');
    }
  });

  it('back after cancel changes nothing: the first word counts until the shopper opens again', async () => {
    const { checkout, sessionId } = await openedSession('A5');
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    await stack.fetch(stack.returnPath(sessionId, 'backurl'));
    expect(await stateOf(checkout)).toBe('cancelled');
  });
});

/** A checkout whose order has a return address of its own, with something in it that was not shared. */
async function openedWithOwnPage(order: string) {
  const returnUrl = `${SHOP_ORIGIN}/thanks/{order}?code=4711&c={checkout}`;
  const { body } = await stack.open(order, { amount: '5.00', returnUrl });
  const { checkout, sessionId = '' } = body;
  const leave = async (orderToken?: string) => {
    const query = new URLSearchParams({
      kind: 'back',
      ...(orderToken !== undefined && { orderToken }),
    });
    const { headers } = await stack.fetch(`/v1/checkouts/${checkout}/leave?${query.toString()}`);
    return headers.get('location');
  };
  return { checkout, sessionId, leave };
}

describe('a return address that is visited again and again', () => {
  const visit = async (path: string) => {
    const { status, text } = await stack.fetch(path);
    return [status, text.includes(`href="${SHOP_ORIGIN}/result?`)];
  };

  it('leads the shopper home each time, and is written down no more', async () => {
    const { checkout, sessionId } = await openedSession('R1');
    const path = stack.returnPath(sessionId, 'CancelUrl');
    for (let count = 0; count < 30; count += 1) expect(await visit(path)).toEqual([200, true]);
    expect(await stateOf(checkout)).toBe('cancelled');
    await stack.reopen('R1');
    expect(await visit(path)).toEqual([200, true]);
    expect(await stateOf(checkout)).toBe('open');
  });

  it('takes nothing from the others of the session, or of another visitor', async () => {
    const { checkout, sessionId } = await openedSession('R2');
    const other = await openedSession('R3');
    const path = stack.returnPath(sessionId, 'CancelUrl');
    for (let count = 0; count < 30; count += 1) await visit(path);
    await visit(stack.returnPath(other.sessionId, 'RedirectUrl'));
    expect(await stateOf(other.checkout)).toBe('returned');
    await stack.reopen('R2');
    await visit(stack.returnPath(sessionId, 'RedirectUrl'));
    expect(await stateOf(checkout)).toBe('returned');
  });

  it('counts when it is visited now and then', async () => {
    const { checkout, sessionId } = await openedSession('R4');
    const path = stack.returnPath(sessionId, 'CancelUrl');
    for (let count = 0; count < 5; count += 1) {
      await visit(path);
      expect(await stateOf(checkout)).toBe('cancelled');
      await stack.reopen('R4');
      expect(await stateOf(checkout)).toBe('open');
    }
  });
});

describe('the return address that a shop gives for an order', () => {
  let oddOnes = 0;

  it.each([
    'http://shop.localhost.evil.example:4100/{checkout}',
    'http://shop.localhost:41000/{checkout}',
    'http://shop.localhost:4101/{checkout}',
    'http://shop.localhost/{checkout}',
    'http://shop.localhost.:4100/{checkout}',
    'http://localhost:4100/{checkout}',
    'http://my.shop.localhost:4100/{checkout}',
    'https://shop.localhost:4100/{checkout}',
    'http://shop.localhost:4100@evil.example/{checkout}',
    'http://shop.localhost%3a4100@evil.example/{checkout}',
    'http://evil.example\\@shop.localhost:4100/{checkout}',
    'http://evil.example/@shop.localhost:4100/{checkout}',
    'http://evil.example#@shop.localhost:4100/{checkout}',
    'http://evil.example?http://shop.localhost:4100/{checkout}',
  ])('is refused where it leads elsewhere: %s', async (returnUrl) => {
    const before = stack.createSessionCalls();
    const { status, body } = await stack.open('U1', { amount: '5.00', returnUrl });
    expect([status, body.code]).toEqual([502, 'order_return_url_refused']);
    expect(stack.createSessionCalls()).toBe(before);
  });

  it.each([
    '//shop.localhost:4100/{checkout}',
    '/thanks/{checkout}',
    'http:shop.localhost:4100/{checkout}',
    'http:/\\shop.localhost:4100/{checkout}',
    'http://shop.localhost:4100.evil.example/{checkout}',
    'ftp://shop.localhost:4100/{checkout}',
    'javascript://shop.localhost:4100/%0aalert(1)//{checkout}',
    'data:text/html,http://shop.localhost:4100/{checkout}',
  ])('is refused where it is none: %s', async (returnUrl) => {
    const { status, body } = await stack.open('U2', { amount: '5.00', returnUrl });
    expect([status, body.code]).toEqual([502, 'order_lookup_failed']);
  });

  it.each([
    'http://shop.localhost:4100\\@evil.example/{checkout}',
    'http://evil.example@shop.localhost:4100/{checkout}',
    'http://shop.localhost:4100/@evil.example/{checkout}',
    'http://shop.localhost:4100//evil.example/{checkout}',
    'http://shop.localhost:4100?//evil.example/{checkout}',
    'http://{order}@shop.localhost:4100/{checkout}',
  ])('leads to the shop however odd it is, on every way back: %s', async (returnUrl) => {
    const order = `U3-${String(oddOnes++)}`;
    const { body } = await stack.open(order, { amount: '5.00', returnUrl });
    const token = stack.token(order);
    const { headers } = await stack.fetch(
      `/v1/checkouts/${body.checkout}/leave?kind=return&orderToken=${token}`,
    );
    const { text } = await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    const [, onward = ''] = /href="([^"]+)">Continue/.exec(text) ?? [];
    for (const address of [headers.get('location') ?? '', onward]) {
      expect(new URL(address).origin).toBe(SHOP_ORIGIN);
    }
  });
});

describe('leaving the hosted page', () => {
  it('goes to the merchant’s page for this checkout, and to no other page', async () => {
    const { checkout } = await openedSession('B1');
    const { status, headers } = await stack.fetch(
      `/v1/checkouts/${checkout}/leave?kind=return&url=https://evil.example`,
    );
    expect(status).toBe(303);
    expect(headers.get('location')).toBe(
      `${SHOP_ORIGIN}/result?order=B1&checkout=${checkout}&kind=return`,
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('goes to the page that the shop gave for this order, with its order token, which may be old', async () => {
    const { leave, checkout } = await openedWithOwnPage('B2');
    for (const token of [stack.token('B2'), stack.token('B2', -60)]) {
      expect(await leave(token)).toBe(`${SHOP_ORIGIN}/thanks/B2?code=4711&c=${checkout}`);
    }
  });

  it('shows that page to no one who has only the id, which may have been shared', async () => {
    const { leave, checkout } = await openedWithOwnPage('B4');
    const expiresAt = 2e9;
    const claim = { merchant: 'teashop', order: 'B4', expiresAt };
    const strangers = [
      undefined,
      '',
      'B4.2000000000.x',
      stack.token('B2'),
      signOrderToken('0'.repeat(64), claim),
      signOrderToken(stack.orderTokenSecret, { ...claim, merchant: 'another' }),
    ];
    for (const token of strangers) {
      const page = `${SHOP_ORIGIN}/result?order=B4&checkout=${checkout}&kind=back`;
      expect(await leave(token)).toBe(page);
    }
  });

  it.each([
    ['a kind that does not exist', 'kind=paid', 400],
    ['no kind', '', 400],
  ])('with %s is refused', async (_what, query, expected) => {
    const { checkout } = await openedSession('B3');
    expect((await stack.fetch(`/v1/checkouts/${checkout}/leave?${query}`)).status).toBe(expected);
  });
});

describe('a shopper of a merchant who is no longer in the file', () => {
  it('reads that the payment is checked, and the visit counts', async () => {
    const { checkout, sessionId } = await openedSession('R1');
    stack.changeMerchant({ id: 'another' });
    await stack.server.close();
    await stack.startServer();
    const { status, text } = await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    expect([status, text.includes('Order R1')]).toEqual([200, true]);
    expect(text).toContain('We are checking your payment');
    expect(await stateOf(checkout)).toBe('returned');
    const left = await stack.fetch(`/v1/checkouts/${checkout}/leave?kind=cancel`);
    expect([left.status, left.text.includes('Order R1')]).toEqual([200, true]);
  });
});
