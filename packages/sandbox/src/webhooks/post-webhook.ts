const MAXIMUM_BYTES = 65_536;

/** What a receiver answered, or why it did not. */
export type PostOutcome =
  { readonly status: number; readonly text: string } | { readonly error: string };

/** Posts one JSON body. Redirects are answers, and the body of the answer counts for the timeout. */
export async function postWebhook(
  url: string,
  body: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  },
): Promise<PostOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutSeconds * 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pay-sandbox': '1', ...options.headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, options.signal]),
    });
    return { status: response.status, text: await readText(response) };
  } catch (error) {
    return { error: timeout.aborted ? 'timeout' : describeFailure(error) };
  }
}

/** Reads a body, but not one without end. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  while (bytes < MAXIMUM_BYTES) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) break;
    chunks.push(chunk.value);
    bytes += chunk.value.length;
  }
  await reader?.cancel();
  return Buffer.concat(chunks).subarray(0, MAXIMUM_BYTES).toString();
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return 'no answer';
}
