import { z } from 'zod';

/** The name under which our sandbox's SDK makes itself known: never right in production. */
const SANDBOX_GLOBAL = 'PaySandbox';

const text = z.string();
/** The parts of a merchants file that production looks at, whatever else is in it. */
const addressed = z.object({
  merchants: z.array(
    z.object({
      origins: z.array(text),
      returnUrl: text,
      orderLookup: z.object({ url: text }),
      events: z.object({ url: text }),
      sdk: z.object({
        url: text,
        global: text,
        origins: z.object({ script: z.array(text), frame: z.array(text), connect: z.array(text) }),
      }),
    }),
  ),
});

/**
 * What an environment of `production` refuses in a merchants file: plain http anywhere, and our
 * sandbox's SDK. A file in which these parts are not even there has other mistakes to mend first.
 */
export function findUnsafeForProduction(file: unknown): string[] {
  const parsed = addressed.safeParse(file);
  if (!parsed.success) return [];
  return parsed.data.merchants.flatMap((merchant, index) => {
    const { sdk } = merchant;
    const addresses: readonly (readonly [string, string])[] = [
      ...named('origins', merchant.origins),
      ['returnUrl', merchant.returnUrl],
      ['orderLookup.url', merchant.orderLookup.url],
      ['events.url', merchant.events.url],
      ['sdk.url', sdk.url],
      ...named('sdk.origins.script', sdk.origins.script),
      ...named('sdk.origins.frame', sdk.origins.frame),
      ...named('sdk.origins.connect', sdk.origins.connect),
    ];
    const plain = addresses
      .filter(([, url]) => url.startsWith('http:'))
      .map(([field]) => `merchants.${String(index)}.${field}: production expects https`);
    return sdk.global.split('.')[0] === SANDBOX_GLOBAL
      ? [...plain, `merchants.${String(index)}.sdk: production cannot use the sandbox’s SDK`]
      : plain;
  });
}

function named(field: string, urls: readonly string[]): (readonly [string, string])[] {
  return urls.map((url, at) => [`${field}.${String(at)}`, url]);
}
