import { createHash } from 'node:crypto';

export const BENCH_MERCHANT_ID = 'bench';
/** Of its back end. */
export const BENCH_KEY = 'key-of-the-bench';
export const BENCH_SIGNING_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
export const BENCH_ORIGIN = 'https://shop.example';

/** The merchants file of the benchmarks; orders are named without a token. */
export const BENCH_MERCHANTS = {
  merchants: [
    {
      id: BENCH_MERCHANT_ID,
      name: 'Bench',
      providerMerchantId: 1001,
      currency: 'GBP',
      origins: [BENCH_ORIGIN],
      returnUrl: `${BENCH_ORIGIN}/result?checkout={checkout}`,
      orderLookup: { url: `${BENCH_ORIGIN}/order-lookup` },
      // Where nothing answers, unless the deliveries are what is measured.
      events: {
        url: process.env['BENCH_EVENTS_URL'] ?? 'http://127.0.0.1:9/events',
        allowPrivateAddress: true,
      },
      split: [{ partnerMerchantId: 501, typeId: 1, percent: '2.5' }],
      sdk: {
        url: 'https://sdk.example/checkout.js',
        global: 'Provider',
        argument: 'object',
        origins: { script: [], frame: [], connect: [] },
      },
      openBy: 'order',
      apiKeyHash: [`sha256:${createHash('sha256').update(BENCH_KEY).digest('hex')}`],
      orderTokenSecret: ['0'.repeat(32)],
      signingSecret: [BENCH_SIGNING_SECRET],
    },
  ],
};

/** The id of the first merchant, the second, … */
export function benchMerchantId(at: number): string {
  return at === 0 ? BENCH_MERCHANT_ID : `${BENCH_MERCHANT_ID}-${String(at)}`;
}

/** The same with so many merchants at the provider account. */
export function benchMerchants(count: number): object {
  const others = Array.from({ length: count - 1 }, (_, index) => ({
    ...BENCH_MERCHANTS.merchants[0],
    id: benchMerchantId(index + 1),
    providerMerchantId: 1002 + index,
    apiKeyHash: [`sha256:${String(index).padStart(64, '0')}`],
  }));
  return { merchants: [...BENCH_MERCHANTS.merchants, ...others] };
}
