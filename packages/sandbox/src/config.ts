import { z } from 'zod';
import type { Merchant } from './merchant.js';

/** What the process reads from its environment. */
export interface SandboxConfig {
  readonly host: string;
  readonly port: number;
  readonly apiKey: string;
  readonly publicUrl?: string;
  readonly merchants?: readonly Merchant[];
}

const merchantList = z
  .array(
    z.strictObject({
      id: z.int(),
      name: z.string().min(1),
      currency: z.string().regex(/^[A-Z]{3}$/),
      resellerId: z.int().optional(),
    }),
  )
  .min(1);

/** Reads the environment once. Every bad value is named; then it stops. */
export function parseConfig(environment: NodeJS.ProcessEnv): SandboxConfig {
  const problems: string[] = [];
  const port = Number(environment['SANDBOX_PORT'] ?? '4300');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push('SANDBOX_PORT: expected a port, 0 to 65535 (0 takes a free one).');
  }
  const apiKey = environment['SANDBOX_API_KEY'] ?? '';
  if (apiKey === '') {
    problems.push('SANDBOX_API_KEY: expected the key that callers will send. Invent one.');
  }
  const publicUrl = environment['SANDBOX_PUBLIC_URL'];
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) {
    problems.push('SANDBOX_PUBLIC_URL: expected an http or https address.');
  }
  const merchants = parseMerchants(environment['SANDBOX_MERCHANTS'], problems);
  if (problems.length > 0) {
    throw new Error(`The sandbox cannot start:\n${problems.map((line) => `- ${line}`).join('\n')}`);
  }
  return {
    host: environment['SANDBOX_HOST'] ?? '127.0.0.1',
    port,
    apiKey,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(merchants === undefined ? {} : { merchants }),
  };
}

function parseMerchants(
  text: string | undefined,
  problems: string[],
): readonly Merchant[] | undefined {
  if (text === undefined) return undefined;
  const expected = 'expected [{"id": 1001, "name": "…", "currency": "GBP"}]';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    problems.push(`SANDBOX_MERCHANTS: is not JSON; ${expected}.`);
    return undefined;
  }
  const result = merchantList.safeParse(value);
  if (!result.success) {
    const fields = result.error.issues.map(({ path }) => path.join('.') || 'the list');
    problems.push(`SANDBOX_MERCHANTS: ${fields.join(', ')} is not good; ${expected}.`);
    return undefined;
  }
  return result.data.map(({ resellerId, ...merchant }) => ({
    ...merchant,
    ...(resellerId === undefined ? {} : { resellerId }),
  }));
}
