import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { runInventory } from '../cli/inventory-command.js';
import { LocalServer } from '../testing/local-server.js';
import { TestStack } from '../testing/test-stack.js';
import { PageChangedError } from './page-check.js';

/** A page as a shop sends it, with its scripts; a test changes what an attacker would. */
interface Site {
  html: string;
  headers: Record<string, string>;
  scripts: Record<string, string>;
}

const POLICY = "default-src 'self'; script-src 'self' 'nonce-AAAAAAAAAAAAAAAAAAAAAA=='";
const goodSite = (): Site => ({
  html: `<!doctype html><html><head><script src="/shop.js" nonce="n1"></script>
    <script>start()</script><script type="application/json">{"n":1}</script></head>
    <body><iframe src="https://cards.example/form"></iframe></body></html>`,
  headers: { 'content-security-policy': POLICY, 'x-frame-options': 'DENY' },
  scripts: { '/shop.js': 'let shop = 1;' },
});

let stack: TestStack;
let server: LocalServer;
let site: Site;
let pageUrl: string;
let recordFile: string;

beforeAll(async () => {
  stack = await TestStack.start();
  server = await LocalServer.start((request, response) => {
    const script = site.scripts[request.url ?? ''];
    if (request.url === '/pay') response.writeHead(200, site.headers).end(site.html);
    else response.writeHead(script === undefined ? 404 : 200).end(script);
  });
  pageUrl = `${server.url}/pay`;
});
afterAll(async () => {
  await server.close();
  await stack.close();
});

const run = (...words: string[]) => runInventory(parseConfig(stack.env), words);

async function findingsOf(...words: string[]): Promise<readonly string[]> {
  try {
    await run('--check', ...words);
  } catch (error) {
    if (error instanceof PageChangedError) return error.findings;
    throw error;
  }
  return [];
}

describe('a payment page that is compared with its record', () => {
  beforeEach(async () => {
    site = goodSite();
    recordFile = join(stack.folder, 'record.json');
    writeFileSync(recordFile, (await run('--record', pageUrl)).join('\n'));
  });

  it('is as it should be while nothing but nonces and data change', async () => {
    site.headers['content-security-policy'] = POLICY.replaceAll('A', 'B');
    site.html = site.html.replace('nonce="n1"', 'nonce="n2"').replace('{"n":1}', '{"n":2}');
    expect(await run('--check', pageUrl, recordFile)).toEqual([
      `${pageUrl}: as it should be, 1 scripts`,
    ]);
  });

  it.each<[string, (page: Site) => void, RegExp]>([
    [
      'a script whose text changed',
      (page) => (page.scripts['/shop.js'] = 'steal()'),
      /^script changed: .*shop\.js/,
    ],
    [
      'another script',
      (page) => {
        page.html += '<script/src="/evil.js"></script>';
        page.scripts['/evil.js'] = 'steal()';
      },
      /^script added: .*evil\.js/,
    ],
    [
      'a script that is gone',
      (page) => (page.html = page.html.replace('src="/shop.js"', 'type="x"')),
      /^script removed/,
    ],
    [
      'another inline script',
      (page) => (page.html += '<svg><script>steal()</script></svg>'),
      /^added: inline script/,
    ],
    [
      'a handler',
      (page) => (page.html += '<img src=x oNerror="steal()">'),
      /^added: handler onerror of img/,
    ],
    [
      'an address that is a script',
      (page) => (page.html += '<a href="java\tscript:steal()">'),
      /^added: javascript: address of a/,
    ],
    [
      'another frame',
      (page) => (page.html += '<iframe src="//evil.example/form"></iframe>'),
      /^added: iframe http:\/\/evil/,
    ],
    [
      'a base that moves addresses',
      (page) => (page.html = page.html.replace('<head>', '<head><base href="//evil.example">')),
      /base|script/,
    ],
    [
      'a script in a shadow root',
      (page) =>
        (page.html +=
          '<div><template shadowrootmode="open"><script>steal()</script></template></div>'),
      /^added: inline/,
    ],
    [
      'a policy that was loosened',
      (page) => (page.headers['content-security-policy'] = `${POLICY} 'unsafe-inline'`),
      /^header changed: content-security-policy/,
    ],
    [
      'a policy that is gone',
      (page) => delete page.headers['content-security-policy'],
      /^header removed: content-security/,
    ],
    [
      'a header that lets others read it',
      (page) => (page.headers['access-control-allow-origin'] = '*'),
      /^header added: access-control/,
    ],
  ])('fails for %s', async (_what, tamper, expected) => {
    tamper(site);
    const findings = await findingsOf(pageUrl, recordFile);
    expect(findings.length).toBeGreaterThan(0);
    expect(
      findings.some((finding) => expected.test(finding)),
      findings.join('\n'),
    ).toBe(true);
  });

  it('fails when it cannot be read, or redirects, or its record is no record', async () => {
    await expect(run('--check', `${server.url}/nothing`)).rejects.toThrow('status 404');
    site.html += '<script src="/gone.js"></script>';
    await expect(run('--check', pageUrl, recordFile)).rejects.toThrow(/gone\.js cannot be checked/);
    writeFileSync(recordFile, '[]');
    await expect(run('--check', pageUrl, recordFile)).rejects.toThrow('inventory --record');
  });
});

describe('a payment page that is compared with the inventory', () => {
  /** The hosted page, with its addresses made those of the server under test. */
  async function copyHostedPage(): Promise<void> {
    const { text, headers } = await stack.fetch(`/v1/pay/teashop/${stack.token('K1')}`);
    const scripts = ['/v1/pay-checkout.js', '/v1/assets/hosted.js'];
    const texts = await Promise.all(scripts.map((path) => stack.fetch(path)));
    site = {
      html: text,
      headers: { 'content-security-policy': headers.get('content-security-policy') ?? '' },
      scripts: Object.fromEntries(scripts.map((path, index) => [path, texts[index]?.text ?? ''])),
    };
  }
  const check = () =>
    runInventory(parseConfig({ ...stack.env, PAY_PUBLIC_URL: server.url }), ['--check', pageUrl]);

  beforeEach(copyHostedPage);

  it('passes when it is the hosted page as the server sends it', async () => {
    expect(await check()).toEqual([`${pageUrl}: as it should be, 2 scripts`]);
  });

  it('fails for a script of ours whose text is another one', async () => {
    site.scripts['/v1/pay-checkout.js'] = 'steal()';
    await expect(check()).rejects.toThrow(/not the one of the inventory: .*pay-checkout\.js/);
  });

  it('fails for what the inventory does not have', async () => {
    site.html += '<script src="/tracker.js"></script><script>1</script>';
    site.scripts['/tracker.js'] = '';
    await expect(check()).rejects.toThrow(/not in the inventory: .*tracker\.js.*\n.*inline script/);
  });

  it.each([
    ['', /no content-security-policy/],
    ["img-src 'self'", /any origin/],
    ["script-src 'self' 'unsafe-inline'", /from 'unsafe-inline'/],
    ["script-src 'self' 'unsafe-eval'", /from 'unsafe-eval'/],
    ['script-src https:', /from https:/],
    ['default-src *', /from \*/],
  ])('fails for the weak policy “%s”', async (policy, expected) => {
    if (policy === '') site.headers = {};
    else site.headers['content-security-policy'] = policy;
    await expect(check()).rejects.toThrow(expected);
  });

  it('takes the fallbacks that a strict policy has for old browsers', async () => {
    site.headers['content-security-policy'] =
      "script-src 'nonce-AAAAAAAAAAAAAAAAAAAAAA==' 'strict-dynamic' 'unsafe-inline' https:";
    expect(await check()).toHaveLength(1);
  });
});
