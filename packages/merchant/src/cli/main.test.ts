import { describe, expect, it } from 'vitest';
import { API_KEY, MERCHANT, SIGNING_SECRET } from '../testing/real-stack.js';
import { main } from './main.js';

const ENV = {
  PAY_CHECKOUT_SERVER: 'http://127.0.0.1:1',
  PAY_CHECKOUT_MERCHANT: MERCHANT,
  PAY_CHECKOUT_API_KEY: API_KEY,
  PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
};
const LISTEN = ['listen', '--forward-to', 'http://localhost:3000/events'];

/** Runs the command until it ends, and gives its exit code and what it wrote. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = ENV,
) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main(args, env, {
    write: (line) => lines.push(line),
    writeError: (line) => errors.push(line),
    stop: AbortSignal.abort(),
  });
  return { code, output: lines.join('\n'), errors: errors.join('\n') };
}

describe('pay-checkout', () => {
  it('says what it does, and which version it is', async () => {
    for (const args of [['--help'], ['-h'], ['listen', '--help'], []]) {
      const { code, output } = await run(args);
      expect([code, output]).toEqual([0, expect.stringContaining('--forward-to <address>')]);
    }
    const { code, output } = await run(['--version']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d/)]);
  });

  it.each([
    [['pay'], 'The only command is: listen'],
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'localhost:3000'], '--forward-to'],
    [[...LISTEN, '--api-key', 'x'], '--api-key'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, errors } = await run(args);
    expect([code, errors]).toEqual([2, expect.stringContaining(words)]);
    expect(errors).toContain('pay-checkout --help');
  });

  it.each(Object.keys(ENV))('names %s when it is missing, and shows no secret', async (name) => {
    const { code, errors } = await run(LISTEN, { ...ENV, [name]: undefined });
    expect([code, errors]).toEqual([2, expect.stringContaining(name)]);
    expect(errors).not.toContain('canary');
  });
});
