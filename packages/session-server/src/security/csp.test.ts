import { describe, expect, it } from 'vitest';
import type { SdkDescription } from '../contract.js';
import { ConfigError } from '../errors.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStack } from '../testing/test-stack.js';
import { csp, type CspOptions, sdkSources, effectiveSources, parsePolicy } from './csp.js';

const NONCE = Buffer.alloc(16, 7).toString('base64');
const SDK: SdkDescription = {
  ...testMerchant().sdk,
  url: 'https://sdk.example/checkout.js',
  origins: {
    script: ['https://scripts.example'],
    frame: ['https://cards.example'],
    connect: ['https://api.example'],
  },
};
const OPTIONS: CspOptions = { publicUrl: 'https://pay.example', sdk: SDK };

function mistakesOf(changes: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    csp({ ...OPTIONS, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the policy of a merchant’s page', () => {
  it('allows our script, the SDK, and the frames of both, and is strict for the rest', () => {
    expect(csp(OPTIONS).directives).toEqual({
      'default-src': ["'self'"],
      'script-src': [
        "'self'",
        'https://pay.example/v1/',
        'https://sdk.example',
        'https://scripts.example',
      ],
      'connect-src': [
        "'self'",
        'https://pay.example/v1/',
        'https://api.example',
        'https://sdk.example',
        'https://scripts.example',
      ],
      'frame-src': ["'self'", 'https://pay.example/v1/', 'https://cards.example'],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'self'"],
    });
  });

  it('allows styles, pictures and forms of an SDK that draws in the page', () => {
    const drawing = {
      ...SDK,
      origins: {
        ...SDK.origins,
        style: ['https://styles.example'],
        image: ['https://cards.example'],
        form: ['https://bank.example'],
      },
    };
    const { directives } = csp({ ...OPTIONS, sdk: [SDK, drawing] });
    expect(directives['style-src']).toEqual(["'self'", 'https://styles.example']);
    expect(directives['font-src']).toEqual(["'self'", 'https://styles.example']);
    expect(directives['img-src']).toEqual(["'self'", 'https://cards.example']);
    expect(directives['form-action']).toEqual([
      "'self'",
      'https://pay.example/v1/',
      'https://bank.example',
    ]);
    const inline = { ...SDK, inlineStyle: true };
    const existing = "style-src 'self'; style-src-elem 'self'; script-src 'self'";
    const added = csp({ ...OPTIONS, sdk: inline, existing }).directives;
    expect(added['style-src']).toEqual(["'self'", "'unsafe-inline'"]);
    expect(added['style-src-elem']).toEqual(["'self'", "'unsafe-inline'"]);
    expect(added['script-src']).not.toContain("'unsafe-inline'");
  });

  it('is the same as directives, text and header', () => {
    const { directives, policy, headers } = csp(OPTIONS);
    expect(Object.fromEntries(parsePolicy(policy))).toEqual(directives);
    expect(headers).toEqual({ 'content-security-policy': policy });
  });

  it('trusts the nonce, and with strict-dynamic what the trusted scripts load', () => {
    expect(csp({ ...OPTIONS, nonce: NONCE }).directives['script-src']?.[1]).toBe(
      `'nonce-${NONCE}'`,
    );
    const { directives } = csp({ ...OPTIONS, nonce: NONCE, strictDynamic: true });
    expect(directives['script-src']).toContain("'strict-dynamic'");
    expect(directives['script-src']).not.toContain("'unsafe-inline'");
  });

  it('names the Trusted Types policies of the tag, of the page and of a second Lit', () => {
    const { directives } = csp({ ...OPTIONS, trustedTypes: { policies: ['shop'] } });
    expect(directives['require-trusted-types-for']).toEqual(["'script'"]);
    expect(directives['trusted-types']).toEqual([
      'lit-html',
      'pay-checkout-sdk',
      'shop',
      "'allow-duplicates'",
    ]);
    expect(csp(OPTIONS).directives['trusted-types']).toBeUndefined();
  });

  it('reports to an address, in the ways that old and new browsers know', () => {
    const reportTo = 'https://shop.example/csp-reports';
    const { headers, directives } = csp({ ...OPTIONS, reportTo, reportOnly: true });
    expect(directives['report-uri']).toEqual([reportTo]);
    expect(directives['report-to']).toEqual(['pay-checkout']);
    expect(headers['reporting-endpoints']).toBe(`pay-checkout="${reportTo}"`);
    expect(Object.keys(headers)).toContain('content-security-policy-report-only');
    expect(Object.keys(headers)).not.toContain('content-security-policy');
  });

  it('allows the SDKs of several merchants, each source once', () => {
    const other = { ...SDK, url: 'https://other.example/sdk.js' };
    const { directives } = csp({ ...OPTIONS, sdk: [SDK, other] });
    expect(directives['script-src']).toContain('https://other.example');
    for (const sources of Object.values(directives)) {
      expect(new Set(sources).size).toBe(sources.length);
    }
  });
});

describe('a policy that the page has already', () => {
  const merge = (existing: string, more: Partial<CspOptions> = {}) =>
    csp({ ...OPTIONS, ...more, existing }).directives;

  it('keeps what it says, and allows what the tag needs next to it', () => {
    const merged = merge("default-src 'none'; IMG-SRC https://img.example; frame-src 'none'");
    expect(merged).toEqual({
      'default-src': ["'none'"],
      'img-src': ['https://img.example'],
      'frame-src': ['https://pay.example/v1/', 'https://cards.example'],
      'script-src': expect.not.arrayContaining(["'none'"]) as string[],
      'connect-src': expect.arrayContaining(['https://api.example']) as string[],
    });
  });

  it('hands its fallback on to a directive that it did not have', () => {
    const merged = merge("default-src 'self' https://cdn.example; child-src https://child.example");
    expect(merged['script-src']?.slice(0, 2)).toEqual(["'self'", 'https://cdn.example']);
    expect(merged['frame-src']?.[0]).toBe('https://child.example');
  });

  it('that restricts nothing is not made to restrict', () => {
    expect(merge("upgrade-insecure-requests; img-src 'self'")).toEqual({
      'upgrade-insecure-requests': [],
      'img-src': ["'self'"],
    });
  });

  it('allows the scripts where script-src-elem decides about them', () => {
    const merged = merge("script-src 'self'; script-src-elem 'self'", { nonce: NONCE });
    expect(merged['script-src-elem']).toEqual(merged['script-src']);
    expect(merged['script-src-elem']).toContain(`'nonce-${NONCE}'`);
  });

  it('that lists Trusted Types policies lists those of the tag too', () => {
    const merged = merge("require-trusted-types-for 'script'; trusted-types shop");
    expect(merged['trusted-types']).toEqual([
      'shop',
      'lit-html',
      'pay-checkout-sdk',
      "'allow-duplicates'",
    ]);
    expect(merge("require-trusted-types-for 'script'")['trusted-types']).toBeUndefined();
  });

  it('counts with the first of two directives of a name, as browsers do', () => {
    const merged = merge("script-src 'self'; script-src https://evil.example");
    expect(merged['script-src']).not.toContain('https://evil.example');
  });
});

describe('an option of csp() that is wrong', () => {
  it.each([
    [{ publicUrl: 'pay.example' }, 'publicUrl', 'an absolute http'],
    [{ publicUrl: 'https://pay.example/' }, 'publicUrl', 'no path'],
    [
      { publicUrl: "https://pay.example; script-src 'unsafe-inline'" },
      'publicUrl',
      'an absolute http',
    ],
    [{ publicUrl: 'https://pay.example;sandbox' }, 'publicUrl', 'one exact host'],
    [{ publicUrl: undefined }, 'publicUrl', 'an absolute http'],
    [{ sdk: undefined }, 'sdk', 'expected an object'],
    [{ sdk: [] }, 'sdk', 'at least one'],
    [{ sdk: { ...SDK, url: 'checkout.js' } }, 'sdk.url', 'absolute'],
    [
      { sdk: [SDK, { ...SDK, origins: { ...SDK.origins, frame: ['*'] } }] },
      'sdk.1.origins.frame.0',
      'absolute',
    ],
    [{ nonce: 'abc' }, 'nonce', '16 random bytes'],
    [{ nonce: `${NONCE}'; script-src *` }, 'nonce', '16 random bytes'],
    [{ strictDynamic: true }, 'strictDynamic', 'nonce as well'],
    [{ trustedTypes: { policies: ['a b'] } }, 'trustedTypes.policies.0', 'name of a policy'],
    [{ reportTo: 'http://shop.example/reports' }, 'reportTo', 'https'],
    [{ reportTo: 'https://shop.example/a;b' }, 'reportTo', 'semicolons'],
    [{ existing: "default-src 'self', script-src *" }, 'existing', 'one policy'],
    [{ existing: "default-src 'self'\r\nset-cookie: a=b" }, 'existing', 'one policy'],
    [{ merchant: 'teashop' }, 'merchant', 'not accepted here'],
  ])('is named, with what was expected: %j', (changes, field, expected) => {
    const mistakes = mistakesOf(changes);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${field.replaceAll('.', '\\.')}: `));
    expect(mistakes[0]).toContain(expected);
  });

  it('is refused with all others at once', () => {
    expect(mistakesOf({ publicUrl: '', nonce: '' })).toHaveLength(2);
    expect(() => csp(undefined as unknown as CspOptions)).toThrow(ConfigError);
  });
});

describe('the hosted page', () => {
  it('allows of an SDK that draws in it what its entry names, and no inline script', async () => {
    const origins = {
      ...SDK.origins,
      style: ['https://styles.example'],
      image: ['https://cards.example'],
      form: ['https://bank.example'],
    };
    const brand = { accent: '#27408b' };
    const policyOf = async (sdk: SdkDescription) => {
      const stack = await TestStack.start({ merchant: { sdk, brand } });
      try {
        const { headers } = await stack.fetch(`/v1/pay/teashop/${stack.token('H1')}`);
        return parsePolicy(headers.get('content-security-policy') ?? '');
      } finally {
        await stack.close();
      }
    };
    const plain = await policyOf(SDK);
    expect(plain.get('style-src')?.join(' ')).toMatch(/^'self' 'nonce-\S+'$/);
    expect(plain.get('img-src')).toEqual(["'self'", 'data:']);
    expect(plain.get('form-action')).toEqual(["'none'"]);
    expect(plain.has('font-src')).toBe(false);
    const named = await policyOf({ ...SDK, origins });
    expect(named.get('style-src')?.join(' ')).toMatch(
      /^'self' 'nonce-\S+' https:\/\/styles\.example$/,
    );
    expect(named.get('font-src')).toEqual(['https://styles.example']);
    expect(named.get('img-src')).toEqual(["'self'", 'data:', 'https://cards.example']);
    expect(named.get('form-action')).toEqual(["'self'", 'https://bank.example']);
    // A nonce would switch it off, also for the brand's own style.
    const inline = await policyOf({ ...SDK, inlineStyle: true });
    expect(inline.get('style-src')).toEqual(["'self'", "'unsafe-inline'"]);
    expect(inline.get('script-src')?.join(' ')).not.toMatch(/unsafe|nonce/);
  });

  it('allows what csp() says that the tag needs, and what its own policy needs', async () => {
    const origins = {
      script: ['https://scripts.example'],
      frame: ['https://cards.example'],
      connect: ['https://api.example'],
    };
    const sdk = { ...SDK, url: 'https://sdk.example/v2/checkout.js', origins };
    const stack = await TestStack.start({ merchant: { sdk } });
    try {
      const { headers } = await stack.fetch(`/v1/pay/teashop/${stack.token('H1')}`);
      const sent = parsePolicy(headers.get('content-security-policy') ?? '');
      const publicUrl = stack.env['PAY_PUBLIC_URL'] ?? '';
      const ofMerchant = parsePolicy(csp({ publicUrl, sdk }).policy);
      for (const name of ['script-src', 'connect-src', 'frame-src']) {
        const wanted = effectiveSources(ofMerchant, name)?.map((source) =>
          source === `${publicUrl}/v1/` ? "'self'" : source,
        );
        expect(new Set(sent.get(name)), name).toEqual(new Set(wanted));
      }
      expect(sent.get('script-src')).toContain('https://sdk.example');
      expect(sdkSources(sdk).frame).toEqual(['https://cards.example']);
    } finally {
      await stack.close();
    }
  });
});
