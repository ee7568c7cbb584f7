import { FetchTransport, TransportError } from '../../http/transport.js';
import { fail, ok, warn, type Finding } from './finding.js';

const TIMEOUT_MILLISECONDS = 10_000;
const MAX_BYTES = 1024 * 1024;
const MAX_SKEW_SECONDS = 30;

const FIXES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name is not known: is it spelled right, and does this machine have DNS?',
  EAI_AGAIN: 'Names cannot be resolved now: check DNS.',
  ECONNREFUSED: 'Nothing listens there: are host and port right, is the sandbox running?',
  ECONNRESET: 'The connection was cut: is there a proxy or a firewall in between?',
  ETIMEDOUT: 'No answer: a firewall may drop it. Behind a proxy set NODE_USE_ENV_PROXY=1.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed: set NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'A private authority signed the certificate: set NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The chain of certificates is incomplete at the server.',
  CERT_HAS_EXPIRED:
    'The certificate is no longer valid: check the clock here, then tell the provider.',
};

/** Whether a host answers at all, without a key, and how far its clock is from ours. */
export async function checkHost(origin: URL, signal: AbortSignal): Promise<Finding[]> {
  const transport = new FetchTransport();
  const check = `host ${origin.host}`;
  const startedAt = Date.now();
  try {
    const { headers } = await transport.send({
      method: 'GET',
      url: origin,
      headers: { 'User-Agent': 'pay-partner doctor' },
      maxResponseBytes: MAX_BYTES,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
    });
    const endedAt = Date.now();
    return [
      ok(check, `answers in ${endedAt - startedAt} ms`),
      checkClock(origin, headers['date'], (startedAt + endedAt) / 2),
    ];
  } catch (error) {
    const head = error instanceof TransportError ? error.head : undefined;
    if (head !== undefined) return [ok(check, `answers (${head.status})`)];
    const code = codeOf(error);
    const fix = FIXES[code] ?? 'Check the address, and what stands in between.';
    return [fail(check, `cannot be reached (${code})`, fix)];
  } finally {
    transport.close?.();
  }
}

/** Compares our clock with a `Date` header, which has whole seconds. */
export function checkClock(
  { host }: URL,
  date: string | undefined,
  nowMilliseconds: number,
): Finding {
  const check = `clock of ${host}`;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) {
    return warn(check, 'tells no time', 'Compare the clock of this machine in another way.');
  }
  const skew = Math.round((nowMilliseconds - theirs) / 1000);
  const detail = `ours is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return ok(check, detail);
  const fix =
    'Set the clock (NTP): signatures of webhooks carry a time and count for minutes only.';
  return fail(check, detail, fix);
}

function codeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const { code, name } = ((cause ?? error) as NodeJS.ErrnoException) ?? {};
  const { problem } = error as { problem?: unknown };
  if (problem === 'aborted') return 'ETIMEDOUT';
  return typeof code === 'string' && /^[A-Z_0-9]{2,60}$/.test(code) ? code : name;
}
