import { Webhook } from 'standardwebhooks';
import { isAsWritten } from '../signed-request.js';
import type { Report } from './report.js';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const TOLERANCE_MS = 5 * 60 * 1000;

interface StoredDelivery {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What may have become of a body between the session server and the file, and how to undo it. */
const CHANGES: readonly (readonly [what: string, undo: (body: string) => string])[] = [
  ['a line break or space was added at its end', (body) => body.trimEnd()],
  ['its line breaks were changed', (body) => body.replaceAll('\r\n', '\n')],
  ['it was parsed and written again', (body) => JSON.stringify(JSON.parse(body))],
  [
    'characters beyond ASCII were escaped or read in another encoding',
    (body) => Buffer.from(body, 'latin1').toString('utf8'),
  ],
];

/**
 * Says why the signature of a stored delivery is right or wrong. Resolves with the exit code: 0 when it is right.
 *
 * @param text the headers of the request, an empty line, the body
 */
export function verify(text: string, signingSecret: string, report: Report): number {
  const { headers, body } = parseDelivery(text);
  const missing = HEADERS.filter((name) => !headers.get(name));
  if (missing.length > 0) {
    return refuse(report, 'signature_missing', `The file has no ${missing.join(', no ')}.`);
  }
  const [id = '', timestamp = '', signatures = ''] = HEADERS.map((name) => headers.get(name));
  const sentAt = new Date(Number(timestamp) * 1000);
  if (!/^\d{1,11}$/.test(timestamp)) {
    const message = `webhook-timestamp: expected seconds since 1970, not ${JSON.stringify(timestamp)}.`;
    return refuse(report, 'bad_timestamp', message);
  }
  const webhook = new Webhook(signingSecret);
  const fits = (text: string): boolean =>
    signatures.split(' ').includes(webhook.sign(id, sentAt, text));
  if (fits(body)) {
    const age = Math.abs(Date.now() - sentAt.getTime());
    const late =
      age > TOLERANCE_MS ? ' A receiver accepts it for five minutes: now it would refuse it.' : '';
    const sentence = `The signature is right. It was signed at ${sentAt.toISOString()}.${late}`;
    report.say(sentence, { kind: 'verified', id, signedAt: sentAt.toISOString() }, 'green');
    return 0;
  }
  const change = CHANGES.find(([, undo]) => fits(attempt(undo, body)));
  if (change) {
    const message = `The signature is that of another body: ${change[0]}. Verify the raw bytes of the request.`;
    return refuse(report, 'body_changed', message);
  }
  if (!signatures.split(' ').some((signature) => signature.startsWith('v1,'))) {
    const message = 'webhook-signature: expected "v1," and a signature in base64.';
    return refuse(report, 'bad_signature', message);
  }
  const message = isAsWritten(body)
    ? 'No signature fits. The body looks untouched, so PAY_CHECKOUT_SIGNING_SECRET is probably another one than that of the merchant entry, or id or time were changed.'
    : 'No signature fits, and the body is not as the session server writes it: something has changed it.';
  return refuse(report, 'bad_signature', message);
}

function refuse(report: Report, code: string, message: string): number {
  report.say(message, { kind: 'refused', code, message }, 'red');
  return 1;
}

/** Header lines, an empty line, the body: as a request is sent, or as most tools show it. */
function parseDelivery(text: string): StoredDelivery {
  const [head = '', separator = ''] = /^[^]*?(\r?\n\r?\n)/.exec(text) ?? [];
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), value);
  }
  return { headers, body: separator === '' ? '' : text.slice(head.length) };
}

function attempt(change: (text: string) => string, text: string): string {
  try {
    return change(text);
  } catch {
    return text;
  }
}
