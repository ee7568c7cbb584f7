/** Takes secrets out of what the inspector keeps: keys, card data, signatures. */

const MASK = '********';
/** A shorter secret is masked by the name of its field alone: its text may be an ordinary word. */
const MIN_KNOWN_LENGTH = 8;
const NAMES =
  '[\\w-]*(?:api_?key|hmac_?key|secret|token|password|signature|card_?number|security_?code|cvc|cvv)|number';
/** A string of a JSON body by its name; the last one may be cut. */
const JSON_FIELD = new RegExp(`("(?:${NAMES})"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*(?:"|$)|\\d+)`, 'gi');
const QUERY_FIELD = new RegExp(`([?&](?:${NAMES})=)[^&#\\s"]*`, 'gi');
const CREDENTIALS_IN_URL = /(https?:\/\/)[^/\s"@]+@/gi;
const DIGITS = /(?<!\w|\d\.)\d(?:[ -]?\d){13,18}(?!\w|\.\d)/g;
const SECRET_HEADER =
  /^(api_key|authorization|proxy-authorization|cookie|set-cookie)$|signature|secret|token|password|api-?key/i;

/** Masks a secret: its last four characters stay, unless it is short. */
export function maskSecret(secret: string): string {
  return secret.length < 16 ? MASK : MASK + secret.slice(-4);
}

/** Says whether something in this text was masked. */
export function hasMask(text: string): boolean {
  return text.includes(MASK);
}

/** Masks a text: fields by name, card numbers, and the secrets that are known. */
export function maskText(text: string, known: readonly string[]): string {
  let masked = text
    .replace(JSON_FIELD, (_all, name: string, value: string) => name + maskField(value))
    .replace(QUERY_FIELD, `$1${MASK}`)
    .replace(CREDENTIALS_IN_URL, `$1${MASK}@`)
    .replace(DIGITS, (digits) => (isCardNumber(digits) ? MASK + digits.slice(-4) : digits));
  for (const secret of known) {
    if (secret.length >= MIN_KNOWN_LENGTH) masked = masked.replaceAll(secret, maskSecret(secret));
  }
  return masked;
}

/** Headers as text, those with secrets masked. */
export function maskHeaders(
  headers: Readonly<Record<string, string | number | readonly string[] | undefined>>,
  known: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const text = Array.isArray(value) ? value.join(', ') : String(value);
      return [[name, SECRET_HEADER.test(name) ? maskSecret(text) : maskText(text, known)]];
    }),
  );
}

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

function maskField(json: string): string {
  const isWhole = json.length > 1 && json.endsWith('"');
  return `"${maskSecret(isWhole ? json.slice(1, -1) : '')}${isWhole || !json.startsWith('"') ? '"' : ''}`;
}

/** The check digit of Luhn: one in ten other numbers of this length passes, and is masked, too. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
