/** Every language verifies alike: the test vectors of the documents, with the examples next to our own code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { PayCheckout } from './client.js';
import {
  API_KEY,
  MERCHANT,
  RealStack,
  signedHeaders,
  SIGNING_SECRET,
} from './testing/real-stack.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped. */
    notRun?: string;
  }
}

const ROOT = join(import.meta.dirname, '../../..');
const VECTORS = join(ROOT, 'docs/vectors.json');
const { signingSecret, events, orderTokens } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
  readonly signingSecret: string;
  readonly events: readonly {
    readonly what: string;
    readonly isGood: boolean;
    /** Why it is refused. */
    readonly code?: string;
    readonly now: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[];
  readonly orderTokens: readonly {
    readonly secret: string;
    readonly merchant: string;
    readonly order: string;
    readonly exp: number;
    readonly token: string;
  }[];
};
const GOOD = { server: 'https://pay.example', merchant: MERCHANT, apiKey: 'key', signingSecret };
const EXPECTED = events.map(({ what, code = 'good' }) => `${what}: ${code}`);

/** The code blocks of docs/recipes.md in a language. */
function recipesIn(language: string): [string, string] {
  const page = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8');
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  const [put = '', receive = ''] = [...blocks].map(([, code]) => code);
  return [put, receive];
}

const [PHP_PUT, PHP_RECEIVE] = recipesIn('php');
const [PYTHON_PUT, PYTHON_RECEIVE] = recipesIn('python');
const PHP_SHOP = `
  require $argv[1] . '/examples/php/PayCheckout.php';
  function price_of($order) { return ['9.99', 'GBP']; }
  function mark_paid_once($order) { echo "paid $order "; }
  `;
const PYTHON_SHOP = `
import json, logging, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + '/examples/python')
from pay_checkout import PayCheckout, SignatureError
price_of = lambda order: ('9.99', 'GBP')
mark_paid_once = lambda order: print('paid ' + order, end=' ')
`;

/**
 * Programs that use the examples: `verify` all vectors, and `order` at the session server in `SERVER`. `put` and
 * `receive` are those of docs/recipes.md, the latter with the headers in `HEADERS` and the body in `BODY`.
 */
const INTERPRETERS = {
  PHP: {
    command: 'php',
    args: (code: string) => ['-d', 'error_reporting=-1', '-r', code, ROOT],
    verify: `
      require $argv[1] . '/examples/php/PayCheckout.php';
      $vectors = json_decode(file_get_contents($argv[1] . '/docs/vectors.json'), true);
      $pay = new PayCheckout('https://pay.example', 'key', $vectors['signingSecret']);
      foreach ($vectors['events'] as ['what' => $what, 'now' => $now, 'headers' => $headers, 'body' => $body]) {
        try {
          $event = $pay->verifyEvent($headers, $body, $now);
          echo $what, ': ', $event['data']['order'] === 'A1001' && $event['id'] === 'msg_1' ? 'good' : 'wrong', "\n";
        } catch (SignatureError $error) {
          echo $what, ': ', $error->errorCode, "\n";
        }
      }`,
    order: `
      require $argv[1] . '/examples/php/PayCheckout.php';
      $pay = new PayCheckout(getenv('SERVER'), getenv('API_KEY'), getenv('SIGNING_SECRET'));
      $put = $pay->putOrder('A1001', ['amount' => '9.99', 'currency' => 'GBP']);
      echo $put['orderToken'], "\n", $pay->getOrder('A1001')['state'], "\n";
      try {
        $pay->putOrder('A1002', ['amount' => '9.999', 'currency' => 'GBP']);
      } catch (PayCheckoutError $error) {
        echo $error->errorCode, ' ', $error->status, "\n";
      }
      var_dump($pay);`,
    put: `${PHP_SHOP}${PHP_PUT} echo $token;`,
    receive: `${PHP_SHOP} register_shutdown_function(fn () => print(http_response_code()));
      ${PHP_PUT.split('$token')[0] ?? ''}${PHP_RECEIVE}`
      .replace('getallheaders()', "json_decode(getenv('HEADERS'), true)")
      .replace("file_get_contents('php://input')", "getenv('BODY')"),
  },
  Python: {
    command: 'python3',
    args: (code: string) => ['-c', code, ROOT],
    verify: `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + '/examples/python')
from pay_checkout import PayCheckout, SignatureError
vectors = json.load(open(sys.argv[1] + '/docs/vectors.json', encoding='utf-8'))
pay = PayCheckout('https://pay.example', 'key', vectors['signingSecret'])
for vector in vectors['events']:
    try:
        event = pay.verify_event(vector['headers'], vector['body'].encode(), vector['now'])
        result = 'good' if event['data']['order'] == 'A1001' and event['id'] == 'msg_1' else 'wrong'
    except SignatureError as error:
        result = error.code
    print(vector['what'] + ': ' + result)`,
    order: `
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + '/examples/python')
from pay_checkout import PayCheckout, PayCheckoutError
pay = PayCheckout(os.environ['SERVER'], os.environ['API_KEY'], os.environ['SIGNING_SECRET'])
print(pay.put_order('A1001', {'amount': '9.99', 'currency': 'GBP'})['orderToken'])
print(pay.get_order('A1001')['state'])
try:
    pay.put_order('A1002', {'amount': '9.999', 'currency': 'GBP'})
except PayCheckoutError as error:
    print(error.code, error.status)
print(pay)`,
    put: `${PYTHON_SHOP}${PYTHON_PUT}print(token)`,
    receive: `${PYTHON_SHOP}
${PYTHON_PUT.split('token =')[0] ?? ''}${PYTHON_RECEIVE}
print(receive(json.loads(os.environ['HEADERS']), os.environ['BODY'].encode()))`,
  },
};

interface Output {
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs a program; skips the test by name where its interpreter is not installed. */
async function run(
  { command, args }: (typeof INTERPRETERS)['PHP'],
  code: string,
  { task, skip }: Pick<TestContext, 'task' | 'skip'>,
  env: NodeJS.ProcessEnv = {},
): Promise<Output> {
  const child = spawn(command, args(code), { env: { ...process.env, ...env } });
  const isMissing = await Promise.race([
    once(child, 'spawn').then(() => false),
    once(child, 'error').then(() => true),
  ]).catch(() => true);
  if (isMissing) {
    task.meta.notRun = `${command} is not installed`;
    skip(task.meta.notRun);
  }
  const [output, errors] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return { lines: output.trim().split('\n'), errors };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the test vectors of docs/vectors.json', () => {
  it.each(events)('verify as they say: $what', async ({ isGood, code, now, headers, body }) => {
    vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] });
    const request = new Request('http://shop.example', { method: 'POST', headers, body });
    const event = await new PayCheckout(GOOD).events
      .verify(request)
      .catch((error: unknown) => error);
    expect(event).toMatchObject(isGood ? { id: 'msg_1' } : { code });
  });

  it.each(orderTokens)('make the order token of $order', async (vector) => {
    const { secret, merchant, order, exp, token } = vector;
    vi.useFakeTimers({ now: (exp - 60) * 1000, toFake: ['Date'] });
    const pay = new PayCheckout({ ...GOOD, merchant, orderTokenSecret: secret });
    expect(await pay.orderToken(order, { expiresInSeconds: 60 })).toBe(token);
  });

  it.for(Object.entries(INTERPRETERS))('verify alike in %s', async ([, language], context) => {
    const { lines, errors } = await run(language, language.verify, context);
    expect([lines, errors]).toEqual([EXPECTED, '']);
  });
});

describe('the examples', () => {
  let stack: RealStack;

  beforeAll(async () => {
    stack = await RealStack.start({ merchant: { orderLookup: undefined } });
  });
  afterAll(() => stack.close());

  it.for(Object.entries(INTERPRETERS))('put an order in %s', async ([, language], context) => {
    const env = { SERVER: stack.url, API_KEY, SIGNING_SECRET };
    const { lines, errors } = await run(language, language.order, context, env);
    const [orderToken = '', ...rest] = lines;
    expect(errors).toBe('');
    expect(rest.slice(0, 2)).toEqual(['open', 'invalid_request 400']);
    expect(lines.join('\n')).not.toContain('canary');
    expect((await stack.openCheckout('A1001', orderToken)).sessionId).toMatch(/\w/);
  });

  it.for(Object.entries(INTERPRETERS))(
    'take a payment with the code of docs/recipes.md in %s, and mark it paid',
    async ([name, language], context) => {
      const order = `${name}-1`;
      const program = (code: string): string =>
        code.replaceAll('A1001', order).replace('https://pay.example', stack.url);
      const secrets = {
        PAY_CHECKOUT_API_KEY: API_KEY,
        PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
      };
      const received: Promise<Output>[] = [];
      stack.shop = async (request, response) => {
        const env = {
          ...secrets,
          HEADERS: JSON.stringify(request.headers),
          BODY: await readText(request),
        };
        received.push(run(language, program(language.receive), context, env));
        response.writeHead(204).end();
      };
      const { lines, errors } = await run(language, program(language.put), context, secrets);
      expect(errors).toBe('');
      await stack.pay(await stack.openCheckout(order, lines[0] ?? ''));
      await expect.poll(() => received.length).toBeGreaterThan(0);
      expect(await received[0]).toEqual({ lines: [`paid ${order} 204`], errors: '' });
    },
  );

  it.for(Object.entries(INTERPRETERS))(
    'answer 401 with the code of docs/recipes.md in %s to what is not signed, and say why',
    async ([, language], context) => {
      const env = {
        PAY_CHECKOUT_API_KEY: API_KEY,
        PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
        HEADERS: JSON.stringify(signedHeaders('{}', { at: new Date('2026-01-01T00:00:00Z') })),
        BODY: '{}',
      };
      const { lines, errors } = await run(language, language.receive, context, env);
      expect(lines).toEqual(['401']);
      expect(errors).toMatch(
        /timestamp_outside_tolerance: .*2026-01-01T00:00:00.*clock here says 20/,
      );
      expect(errors).not.toMatch(/Traceback|Stack trace|canary/);
    },
  );
});
