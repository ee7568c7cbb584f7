import type { RecordedCall } from './recorded-call.js';
import { hasMask, isSecretHeader } from './mask.js';

/** Headers that curl writes. */
const OF_CURL =
  /^(host|content-length|transfer-encoding|connection|keep-alive|accept|accept-encoding|accept-language|user-agent|sec-.*|expect)$/;

/**
 * The call as a curl command. The key is `$SANDBOX_API_KEY`; other masked headers are left out. A body
 * of which only a part is kept is read from `body.json`.
 */
export function toCurl({ method, path, request }: RecordedCall, baseUrl: string): string {
  const parts = [`curl -X ${method} ${quote(baseUrl + path)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'api_key') parts.push('-H "api_key: $SANDBOX_API_KEY"');
    else if (!OF_CURL.test(name) && !isSecretHeader(name))
      parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  const { body = '', isCut } = request;
  if (isCut) parts.push('--data-binary @body.json');
  else if (body !== '') parts.push(`--data-raw ${quote(body)}`);
  const note = hasMask(body) ? '# Put the masked values back first.\n' : '';
  return note + parts.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
