import type { PartnerClient } from '../../client.js';
import { isPartnerApiError, type PartnerApiError } from '../../errors.js';
import { fail, ok, warn, type Finding } from './finding.js';

const FIXES: Readonly<Record<string, string>> = {
  AuthenticationError: 'The key is wrong, or of the other environment. Copy it anew.',
  PermissionError: 'The key is known and may not list transactions: ask the provider.',
  NotFoundError: 'The address is not that of the API: is its path prefix in --base-url?',
  RateLimitError: 'Too many requests: try again later.',
  RedirectError: 'Set --base-url to the final address: redirects are never followed.',
  InvalidResponseError: 'What answers is not the API: is --base-url that of a web page or a proxy?',
  ServerError: 'The provider has trouble: try again later.',
};

/** Reads one transaction and, if a merchant is named, its transfers: is the key taken? */
export async function checkAccess(
  client: PartnerClient,
  merchantId: string | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const read = await look('transactions with this key', async () => {
    await client.transactions.list({ limit: 1 }, { signal, maxRetries: 1 });
  });
  if (merchantId === undefined) return [read, ...checkDrift(client)];
  const transfers = await look('scheduled transfers', async () => {
    await client.scheduledTransfers.list(merchantId, undefined, { signal, maxRetries: 1 });
  });
  return [read, transfers, ...checkDrift(client)];
}

async function look(check: string, work: () => Promise<void>): Promise<Finding> {
  try {
    await work();
    return ok(check, 'can be read');
  } catch (error) {
    if (!isPartnerApiError(error)) throw error;
    return fail(check, describe(error), FIXES[error.name] ?? 'Run it again with --verbose.');
  }
}

function checkDrift(client: PartnerClient): Finding[] {
  const drift = Object.values(client.driftReport());
  const places = drift.flatMap(({ unexpectedTypes }) => Object.keys(unexpectedTypes));
  if (places.length === 0) return [];
  const fix = 'Run pay-partner conformance, and tell the provider or us.';
  return [warn('answers as documented', `${places.length} fields have another type`, fix)];
}

function describe({ message, requestId }: PartnerApiError): string {
  return requestId === undefined ? message : `${message} Request id ${requestId}.`;
}
