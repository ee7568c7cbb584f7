import type { Secret } from '../../secret.js';
import type { WebhookScheme } from '../../webhook-scheme.js';
import { signWebhook, verifyWebhook } from '../../webhook-signature.js';
import { REFUSAL_WORDS } from '../commands/webhooks-verify.js';
import { fail, ok, warn, type Finding } from './finding.js';

const CHECK = 'signature scheme';

/** Whether a scheme and a key fit each other: what is signed with them must verify. */
export async function checkScheme(scheme: WebhookScheme, key: Secret): Promise<Finding> {
  const body = '{"event":"test"}';
  const url = 'https://shop.example/hooks';
  try {
    const headers = await signWebhook(scheme, key, { body, id: 'msg_doctor', url });
    const verdict = await verifyWebhook(scheme, [{ key }], { headers, body, url });
    if (!verdict.valid) return fail(CHECK, REFUSAL_WORDS[verdict.reason], 'Correct the scheme.');
  } catch (error) {
    const fix =
      'Is keyEncoding right for this key? webhooks solve finds it from one captured delivery.';
    return fail(CHECK, error instanceof Error ? error.message : 'cannot sign', fix);
  }
  const detail = `${scheme.header}, ${scheme.algorithm} over ${scheme.template}`;
  if (!scheme.template.includes('{body}')) {
    return fail(CHECK, detail, 'It does not sign the body: anybody could change it.');
  }
  if (!scheme.template.includes('{timestamp}')) {
    const fix =
      'It signs no time, so a delivery can be sent again: store the ids that were dealt with.';
    return warn(CHECK, detail, fix);
  }
  if (scheme.toleranceSeconds === 'off') {
    return warn(CHECK, detail, 'Its timestamp is not looked at: set toleranceSeconds.');
  }
  return ok(CHECK, detail);
}
