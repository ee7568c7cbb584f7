import type { Fault } from '../faults/fault.js';
import { sendSlowly } from '../faults/play-fault.js';

const MAX_RESPONSE_BYTES = 65_536;

/** The receiver's answer, or why there is none. */
export type PostOutcome =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly error: string };

/** Posts one JSON body. A redirect is an answer. The timeout covers the body of the answer. */
export async function postWebhook(
  url: string,
  body: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
    readonly fault?: Fault | undefined;
  },
): Promise<PostOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutSeconds * 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: options.headers,
      ...makeBody(body, options.fault),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, options.signal]),
    });
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text: await readText(response) };
  } catch (error) {
    return { error: timeout.aborted ? 'timeout' : describeFailure(error) };
  }
}

/** Reads a body up to the limit. */
async function readText(response: Response): Promise<string> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString();
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return 'no answer';
}

/** The body as a fault sends it. */
function makeBody(text: string, fault: Fault | undefined): Pick<RequestInit, 'body'> {
  const bytes = Buffer.from(text);
  if (fault?.fault === 'reset') return streamOf(cutShort(bytes));
  if (fault?.fault === 'slow-body') return streamOf(sendSlowly(bytes, fault));
  return { body: text };
}

async function* cutShort(body: Buffer) {
  yield body.subarray(0, Math.floor(body.length / 2));
  await Promise.reject(Object.assign(new Error('Cut by a fault.'), { code: 'ECONNRESET' }));
}

function streamOf(pieces: AsyncGenerator<Uint8Array, void>) {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    },
    // Read ahead, a cut would come before the first half.
    { highWaterMark: 0 },
  );
  return { body, duplex: 'half' };
}
