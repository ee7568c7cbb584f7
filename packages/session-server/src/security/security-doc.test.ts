import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStack } from '../testing/test-stack.js';
import { csp, parsePolicy } from './csp.js';

const DOCS = join(import.meta.dirname, '../../../../docs');
const page = readFileSync(join(DOCS, 'security.md'), 'utf8');
const publicUrl = 'https://pay.example';
/** The entry of the examples: its SDK comes from https://sdk.example, and frames of it too. */
const { sdk } = testMerchant();

function blocksOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text);
}

/** Writes the snippet of that name to a folder, with our sources in the place of the package. */
async function load<T>(folder: string, name: string): Promise<T> {
  const code = blocksOf('js').find((text) => text.startsWith(`// ${name}\n`)) ?? '';
  const file = join(folder, name);
  const sources = join(import.meta.dirname, 'csp.ts');
  writeFileSync(file, code.replace('@pay-checkout/session-server/security', sources));
  return (await import(/* @vite-ignore */ file)) as T;
}

describe('docs/security.md', () => {
  let folder: string;
  let stack: TestStack;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'security-doc-'));
    stack = await TestStack.start();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await stack.close();
  });

  it('has the policies that csp() makes', () => {
    const shown = blocksOf('http').map((text) =>
      text.replace('Content-Security-Policy: ', '').replace(/\s+/g, ' ').trim(),
    );
    const nonce = 'A'.repeat(22);
    const made = [csp({ publicUrl, sdk }), csp({ publicUrl, sdk, nonce, trustedTypes: {} })];
    expect(shown).toEqual(made.map(({ policy }) => policy.replace(nonce, '{nonce}')));
  });

  it('has a payment page whose nonce is that of its policy, and new each time', async () => {
    const { paymentPage } = await load<{
      paymentPage(options: object): { headers: Record<string, string>; script: string };
    }>(folder, 'payment-page.js');
    const { headers, script } = paymentPage({ publicUrl, sdk });
    const [, nonce = ''] = /nonce="([^"]+)"/.exec(script) ?? [];
    const policy = parsePolicy(headers['content-security-policy'] ?? '');
    expect(policy.get('script-src')).toContain(`'nonce-${nonce}'`);
    expect(script).toContain(`src="${publicUrl}/v1/pay-checkout.js"`);
    expect(paymentPage({ publicUrl, sdk }).script).not.toBe(script);
  });

  it('has a pinned script that the server serves, and the tag that it shows has the same shape', async () => {
    const { pinnedScript } = await load<{ pinnedScript(url: string): Promise<string> }>(
      folder,
      'pinned-script.js',
    );
    const tag = await pinnedScript(stack.url);
    const [, src = '', integrity = ''] = /src="([^"]+)" integrity="([^"]+)"/.exec(tag) ?? [];
    const answer = await stack.fetch(new URL(src).pathname);
    const { subtle } = globalThis.crypto;
    const hash = await subtle.digest('SHA-384', new TextEncoder().encode(answer.text));
    expect(integrity).toBe(`sha384-${Buffer.from(hash).toString('base64')}`);
    // A cross-origin script is checked only when its server allows reading it.
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const [shown = ''] = blocksOf('html');
    const attributes =
      /^<script\s+src="[^"]+"\s+integrity="sha384-[^"]+"\s+crossorigin="anonymous"\s+defer\s*>/;
    expect([tag, shown].map((text) => attributes.test(text))).toEqual([true, true]);
  });

  it('points at a test for each attack', () => {
    const [, section = ''] = page.split('## Attacks, and what stops them');
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    const attacks = rows.slice(2);
    expect(attacks.length).toBeGreaterThan(15);
    for (const attack of attacks) {
      const tests = [...attack.matchAll(/\[([^\]]+)\]\((\.\.[^)]+\.(?:test|contract)\.ts)\)/g)];
      expect(tests, attack).not.toEqual([]);
      for (const [, title = '', file = ''] of tests) {
        expect(readFileSync(join(DOCS, file), 'utf8')).toContain(title);
      }
    }
  });
});
