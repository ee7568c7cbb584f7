/** The merchant entries of the playground, as `SHOP_PLAYGROUND_MERCHANTS` names them. */
import { z } from 'zod';

const MIN_KEY_BYTES = 16;

/** A JSON list; each entry is our shop at the session server, with another client SDK. */
export const playgroundMerchantsSchema = z
  .string()
  .default('[]')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON: [{"id":"…","apiKey":"…",…}]' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        id: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be an id at the session server'),
        apiKey: z.string().refine((text) => Buffer.byteLength(text) >= MIN_KEY_BYTES, {
          error: `must be at least ${MIN_KEY_BYTES} bytes of randomness`,
        }),
        shape: z.string().min(1, 'must be the name of a shape of the client SDK'),
        what: z.string().min(1, 'must say what the shape does'),
        works: z.boolean({ error: 'must be true or false' }),
      }),
    ),
  );

/** One of them, with our Bearer key for it. */
export type PlaygroundMerchant = Readonly<z.output<typeof playgroundMerchantsSchema>[number]>;
