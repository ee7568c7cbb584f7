import { randomUUID } from 'node:crypto';

import { TransportError } from '../http/transport.js';
import type { Secret } from '../secret.js';
import type { WebhookScheme } from '../webhooks/scheme.js';
import { signWebhook } from '../webhooks/signature.js';
import { fail, type Finding, ok, probe } from './doctor-checks.js';

const CHECK = 'webhook endpoint';

/** The only payload that the provider shows (spec 4.8), in a spelling that no parser gives back. */
const ODD_BODY = ' {\t"event" :  "test"\r\n}\n';
const PLAIN_BODY = '{"event":"test"}';

/** An endpoint of one's own, and how its deliveries are signed. */
export interface Endpoint {
  readonly url: string;
  readonly scheme: WebhookScheme;
  readonly key: Secret;
}

/**
 * Sends test deliveries to one's own endpoint: one that is rightly signed over a body with odd
 * spaces, which verifies only over the raw bytes, and one whose body was changed after signing.
 */
export async function checkEndpoint(endpoint: Endpoint, signal: AbortSignal): Promise<Finding[]> {
  const odd = await deliver(endpoint, ODD_BODY, ODD_BODY, signal);
  if (typeof odd === 'string') {
    return [fail(CHECK, odd, 'Is the address right, and reachable from this machine?')];
  }
  if (odd >= 300 && odd < 400) {
    const fix = 'Give the final address: a delivery is a POST and must not be sent elsewhere.';
    return [fail(CHECK, `answers with a redirect (${odd})`, fix)];
  }
  if (!isSuccess(odd)) return [await explainRefusal(endpoint, odd, signal)];
  const changed = await deliver(endpoint, ODD_BODY, PLAIN_BODY, signal);
  return [
    ok(CHECK, `takes a signed delivery with odd spaces (${odd})`),
    typeof changed === 'number' && isSuccess(changed)
      ? fail(
          'forged delivery',
          `a body that was changed after signing is taken too (${changed})`,
          'Verify the signature over the raw body before any other step; now the check is missing, ' +
            'or made over the parsed body.',
        )
      : ok('forged delivery', `is refused (${changed})`),
  ];
}

async function explainRefusal(
  endpoint: Endpoint,
  status: number,
  signal: AbortSignal,
): Promise<Finding> {
  const detail = `refuses a rightly signed delivery with odd spaces (${status})`;
  const plain = await deliver(endpoint, PLAIN_BODY, PLAIN_BODY, signal);
  if (typeof plain === 'number' && isSuccess(plain)) {
    return fail(
      CHECK,
      `${detail}, and takes one without them (${plain})`,
      'It verifies a body that was parsed and written again. Read the raw bytes: mount ' +
        'express.raw({ type: "*/*" }) on this route before express.json().',
    );
  }
  if (status === 404 || status === 405) {
    return fail(CHECK, detail, 'There is no POST route at this address.');
  }
  if (status === 401 || status === 403) {
    return fail(
      CHECK,
      detail,
      'Is it the same key and scheme as there, and is the clock right? Does a login or a firewall ' +
        'stand before it?',
    );
  }
  return fail(CHECK, detail, 'Compare key and scheme, and check the log of the endpoint.');
}

/** Signs one body and sends another; the status, or why there is none. */
async function deliver(
  { url, scheme, key }: Endpoint,
  signedBody: string,
  sentBody: string,
  signal: AbortSignal,
): Promise<number | string> {
  const id = `msg_${randomUUID()}`;
  const headers = await signWebhook(scheme, key, { body: signedBody, id, url });
  const body = new TextEncoder().encode(sentBody);
  const all = { ...headers, 'Content-Type': 'application/json' };
  try {
    return (await probe(new URL(url), signal, { method: 'POST', headers: all, body })).status;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (error.problem === 'aborted' && !signal.aborted) return 'no answer within 10 s';
    const { code } = (error.cause ?? {}) as { code?: unknown };
    return `cannot be reached (${typeof code === 'string' ? code : error.problem})`;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
