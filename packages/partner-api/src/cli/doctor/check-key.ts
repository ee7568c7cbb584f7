import type { FoundKey } from '../settings/read-key.js';
import { fail, ok, warn, type Finding } from './finding.js';

const CHECK = 'API key';
const SHORT = 16;

/** Whether a key looks like one. Of the key itself only its length is told. */
export function checkKey({ key, from }: FoundKey): Finding {
  const text = key.reveal();
  const detail = `from ${from}, ${text.length} characters`;
  if (!/^[!-~]+$/.test(text)) {
    return fail(
      CHECK,
      detail,
      'It holds spaces, line breaks or letters that no key has: copy it anew.',
    );
  }
  if (/^(['"]).*\1$/.test(text)) {
    return fail(CHECK, detail, 'It begins and ends with a quote: take them out.');
  }
  if (/^<.*>$|your.?api.?key|^(api_key|changeme)$/i.test(text)) {
    return fail(CHECK, detail, 'It is the placeholder of an example: put the real key there.');
  }
  if (/^(bearer|api_key)[:=]/i.test(text)) {
    return fail(CHECK, detail, 'Give the value alone: the header api_key is added.');
  }
  if (from === '--api-key') {
    return warn(
      CHECK,
      detail,
      'Use PAY_PARTNER_API_KEY or --api-key-file: others can see arguments.',
    );
  }
  return text.length < SHORT
    ? warn(CHECK, detail, 'It is short for a key; was it cut when it was copied?')
    : ok(CHECK, detail);
}
