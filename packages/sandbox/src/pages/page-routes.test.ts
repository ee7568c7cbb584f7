import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../scenarios.js';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';
const DECLINED = '9000000000000019';
const CHALLENGED = '9000000000000027';
const EXPIRED = '9000000000000084';
const RedirectUrl = 'https://pay.example/return';
const SHOP = 'http://shop.localhost:4100';

describe('the card form', () => {
  it('says what is paid, to whom, and that no money moves', async () => {
    const test = await startSandbox();
    const { text } = await test.send('GET', `/pages/pay/${await test.openSession()}`);
    expect(text).toContain('no money moves');
    expect(text).toContain('Pebble &amp; Fern');
    expect(text).toMatch(/Pay £12\.34\s*</);
  });

  it('has a label, an autocomplete token and a place for its error for every field', async () => {
    const test = await startSandbox();
    const { text } = await test.send('GET', `/pages/form/${await test.openSession()}`);
    for (const [id, label, token] of [
      ['number', 'Card number', 'cc-number'],
      ['expiry', 'Expiry date', 'cc-exp'],
      ['securityCode', 'Security code', 'cc-csc'],
      ['name', 'Name on card', 'cc-name'],
    ] as const) {
      expect(text).toContain(`<label for="${id}">${label}</label>`);
      expect(text).toContain(`autocomplete="${token}"`);
      expect(text).toMatch(new RegExp(`aria-describedby="[^"]*${id}-error"`));
      expect(text).toContain(`id="${id}-error"`);
    }
  });

  it('is in Arabic, from right to left, where the page or the browser is', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const browser = { headers: { 'accept-language': 'ar-EG,en;q=0.5' } };
    for (const [path, init] of [
      [`/pages/pay/${session}`, browser],
      [`/pages/form/${session}?parent=${SHOP}&lang=ar`, { headers: { 'accept-language': 'en' } }],
    ] as const) {
      const { text } = await test.send('GET', path, init);
      expect(text).toContain('<html lang="ar" dir="rtl">');
      expect(text).toContain('<label for="number">رقم البطاقة</label>');
      expect(text).toMatch(/<input\s+id="number"[^>]*dir="ltr"/);
      expect(text).toContain('lang="en" dir="ltr" aria-labelledby="test-cards"');
      expect(text).toContain('ادفع \u2068£12.34\u2069');
    }
    const english = await test.send('GET', `/pages/form/${session}?lang=en`, browser);
    expect(english.text).toContain('<html lang="en" dir="ltr">');
  });

  it('shows the ways back that the session has, and no others', async () => {
    const test = await startSandbox();
    const urls = { CancelUrl: 'https://pay.example/c?a=1&b=2', backurl: 'https://pay.example/b' };
    const both = await test.send('GET', `/pages/pay/${await test.openSession(urls)}`);
    expect(both.text).toContain('data-leave="https://pay.example/c?a=1&amp;b=2"');
    expect(both.text).toContain('Back to the shop');
    const none = await test.send('GET', `/pages/pay/${await test.openSession()}`);
    expect(none.text).not.toContain('data-leave');
  });

  it('escapes what comes from outside', async () => {
    const evil = '"><script>alert(1)</script>';
    const test = await startSandbox({ merchants: [{ id: 1001, name: evil, currency: 'GBP' }] });
    const session = await test.openSession({
      MerchantReference: evil,
      CancelUrl: `https://pay.example/?q="><script>`,
    });
    const id = encodeURIComponent(evil);
    for (const path of [`/pages/pay/${session}`, `/pages/form/${id}?parent=${id}`, '/']) {
      const { text } = await test.send('GET', path);
      expect(text).not.toContain('<script>');
    }
  });

  it('allows no inline script or style, and framing only for the form in a frame', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const policyOf = async (path: string) =>
      (await test.send('GET', path)).headers.get('content-security-policy') ?? '';
    const page = await policyOf(`/pages/pay/${session}`);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain("script-src 'self'");
    expect(page).not.toContain('unsafe');
    expect(page).toContain("frame-ancestors 'none'");
    expect(await policyOf(`/pages/form/${session}`)).not.toContain('frame-ancestors');
    const { text } = await test.send('GET', `/pages/form/${session}`);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
  });

  it('sends messages only to a plain web origin', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const parentOf = async (parent: string) => {
      const query = new URLSearchParams({ parent });
      const { text } = await test.send('GET', `/pages/form/${session}?${query.toString()}`);
      return /data-parent-origin="([^"]*)"/.exec(text)?.[1];
    };
    expect(await parentOf(SHOP)).toBe(SHOP);
    for (const parent of ['*', 'null', `${SHOP}/`, 'javascript:alert(1)', 'file://']) {
      expect(await parentOf(parent)).toBeUndefined();
    }
  });

  it('says so when the last card was declined', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.pay(session, DECLINED);
    const { text } = await test.send('GET', `/pages/form/${session}`);
    expect(text).toContain('data-message="The card was declined.');
  });
});

describe('pages without a form', () => {
  it('says that a paid session is paid, and how to continue', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ RedirectUrl });
    await test.pay(session, APPROVED);
    const { status, text } = await test.send('GET', `/pages/form/${session}`);
    expect(status).toBe(200);
    expect(text).toContain('Payment approved');
    expect(text).toContain(`data-leave="${RedirectUrl}"`);
    expect(text).not.toContain('card-form');
  });

  it('says that a session has expired, to the shopper and the SDK', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.pay(session, EXPIRED);
    const { status, text } = await test.send('GET', `/pages/form/${session}`);
    expect(status).toBe(410);
    expect(text).toContain('data-failure="session_expired"');
  });

  it('answers 404 for an unknown session', async () => {
    const test = await startSandbox();
    for (const path of ['form', 'pay', 'challenge']) {
      const { status, text } = await test.send('GET', `/pages/${path}/nothing`);
      expect(status).toBe(404);
      expect(text).toContain('data-failure="session_unknown"');
    }
    expect((await test.pay('nothing', APPROVED)).status).toBe(404);
  });
});

describe('the challenge page', () => {
  it('asks for the code, and returns to the form that it came from', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.pay(session, CHALLENGED);
    const framed = await test.send('GET', `/pages/challenge/${session}?parent=${SHOP}`);
    expect(framed.text).toContain('<label for="code">Code from your bank</label>');
    expect(framed.text).toContain(
      `data-form-url="/pages/form/${session}?parent=${encodeURIComponent(SHOP)}"`,
    );
    const alone = await test.send('GET', `/pages/challenge/${session}`);
    expect(alone.text).toContain(`data-form-url="/pages/pay/${session}"`);
  });

  it('redirects to the form when no card waits for a code', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const { status, headers } = await test.send('GET', `/pages/challenge/${session}`);
    expect([status, headers.get('location')]).toEqual([303, `/pages/pay/${session}`]);
  });
});

describe('in Arabic', () => {
  const inArabic = { headers: { 'accept-language': 'ar-EG,en;q=0.5' } };
  const ARABIC = /[\u0600-\u06ff]/;

  const answersOf = async (test: TestSandbox): Promise<Record<string, string>> => {
    const { text } = await test.send('GET', `/pages/form/${await test.openSession()}?lang=ar`);
    const said = /data-answers="([^"]*)"/.exec(text)?.[1] ?? '';
    return JSON.parse(said.replaceAll('&quot;', '"')) as Record<string, string>;
  };

  it('asks for the code of the bank', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.pay(session, CHALLENGED);
    const path = `/pages/challenge/${session}`;
    for (const [address, init] of [
      [path, inArabic],
      [`${path}?parent=${SHOP}&lang=ar`, {}],
    ] as const) {
      const { text } = await test.send('GET', address, init);
      expect(text).toContain('<html lang="ar" dir="rtl">');
      expect(text).toContain('<title>يطلب البنك رمزًا</title>');
      expect(text).toContain('<label for="code">الرمز المرسل من البنك</label>');
      expect(text).toContain('&quot;checking&quot;:&quot;جارٍ التحقق. يرجى الانتظار.&quot;');
      expect(text).not.toContain('Cancel');
    }
  });

  it('says that a session is paid, has expired or is unknown', async () => {
    const test = await startSandbox();
    const paid = await test.openSession({ RedirectUrl });
    const stays = await test.openSession();
    const expired = await test.openSession();
    await test.pay(paid, APPROVED);
    await test.pay(stays, APPROVED);
    await test.pay(expired, EXPIRED);
    for (const [session, status, sentence] of [
      [paid, 200, 'تم الدفع في هذه الجلسة، ولا يمكن الدفع مرتين.'],
      [stays, 200, 'تم الدفع في هذه الجلسة، ولا شيء يعيدك إلى المتجر.'],
      [expired, 410, 'لم يُخصم أي مبلغ. عد إلى المتجر وابدأ من جديد.'],
      ['nothing', 404, 'العنوان غير كامل، أو أُعيد تشغيل بيئة الاختبار.'],
    ] as const) {
      const answer = await test.send('GET', `/pages/pay/${session}`, inArabic);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain('<html lang="ar" dir="rtl">');
      expect(answer.text).toContain(`>${sentence}</p>`);
    }
  });

  it('says why the last card was declined', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await test.pay(session, DECLINED);
    const { text } = await test.send('GET', `/pages/form/${session}?lang=ar`);
    expect(text).toMatch(/data-message="رُفضت البطاقة\. /);
  });

  it('has a text for every reason of a declined card', async () => {
    const answers = await answersOf(await startSandbox());
    const reasons = SCENARIOS.flatMap((scenario) => {
      if (scenario.decision === 'decline') return [scenario.message];
      return scenario.decision === 'challenge' ? [scenario.elsewhere?.message ?? []].flat() : [];
    });
    expect(reasons.length).toBeGreaterThan(10);
    for (const reason of reasons)
      expect([reason, answers[reason]]).toEqual([reason, expect.stringMatching(ARABIC)]);
  });

  it('has a text for a wrong code, a cancelled check and an expired month', async () => {
    const test = await startSandbox();
    const answers = await answersOf(test);
    const session = await test.openSession();
    const challenge = `/pages/sessions/${session}/challenge`;
    await test.pay(session, CHALLENGED);
    const wrongCode = await test.post(challenge, { code: '0000' });
    await test.pay(session, CHALLENGED);
    const cancelled = await test.post(challenge, { cancel: true });
    const over = await test.post(`/pages/sessions/${session}/payments`, {
      ...{ number: APPROVED, expiry: '01/20', securityCode: '123', name: 'Robin Sample' },
    });
    const [error] = over.body['errors'] as { message: string }[];
    for (const message of [wrongCode.body['message'], cancelled.body['message'], error?.message]) {
      expect(message).toBeTypeOf('string');
      expect([message, answers[String(message)]]).toEqual([message, expect.stringMatching(ARABIC)]);
    }
  });
});

describe('the page at /', () => {
  it('is files of its own under a strict policy, without secrets', async () => {
    const test = await startSandbox();
    const { status, headers, text } = await test.send('GET', '/');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const answer = await test.send('GET', file);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(answer.text).not.toContain('invented-key');
    }
    expect(text).not.toMatch(/<script(?![^>]*src)|<style|style=/);
  });

  it('has the scenarios, merchants and faults that there are', async () => {
    const test = await startSandbox();
    const { body } = await test.send('GET', '/_sandbox/about');
    expect(body).toMatchObject({
      scenarios: expect.arrayContaining([expect.objectContaining({ name: 'approved' })]) as unknown,
      merchants: expect.arrayContaining([expect.objectContaining({ id: 1001 })]) as unknown,
      faults: {
        'partner-analytics': expect.arrayContaining(['success-false']) as unknown,
        webhook: ['wait', 'slow-body', 'lost', 'reset', 'duplicate', 'wrong-signature'],
      },
      faultKinds: { lost: 'it is not sent, and not retried' },
      sdk: { path: '/sdk/checkout.js' },
    });
    expect((body['faults'] as Record<string, string[]>)['create-session']).not.toContain(
      'empty-page',
    );
  });
});
