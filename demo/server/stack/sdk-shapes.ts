/** The shapes that the sandbox's client SDK can have, as the running sandbox lists them. */
import { request } from 'node:http';
import { z } from 'zod';

const ASK_WITHIN_MS = 5000;

const schema = z.object({
  shapes: z
    .array(
      z.object({
        name: z.string(),
        what: z.string(),
        works: z.boolean(),
        /** What a merchant entry of the session server says under `sdk`. */
        sdk: z.looseObject({}),
      }),
    )
    .min(1),
});

export type SdkShape = Readonly<z.output<typeof schema>['shapes'][number]>;

/**
 * Asks `GET /sdk/shapes`. The addresses in the answer follow the `Host` of the question, so it is
 * asked under the name that browsers use, at the address that this process can reach.
 */
export async function listSdkShapes(
  sandboxApi: string,
  publicUrl: string,
): Promise<readonly SdkShape[]> {
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      `${sandboxApi}/sdk/shapes`,
      { headers: { host: new URL(publicUrl).host }, timeout: ASK_WITHIN_MS },
      (response) => {
        response.setEncoding('utf8');
        let body = '';
        response.on('data', (part: string) => (body += part));
        response.once('end', () => {
          resolve(body);
        });
        response.once('error', reject);
      },
    );
    asked.once('timeout', () => asked.destroy(new Error('The sandbox does not list its shapes.')));
    asked.once('error', reject);
    asked.end();
  });
  return schema.parse(JSON.parse(text)).shapes;
}
