/** Every language verifies alike: the test vectors of the documents, with the examples beside our own code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { PayCheckout } from './client.js';
import { API_KEY, MERCHANT, RealStack, SIGNING_SECRET } from './testing/real-stack.js';

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
const EXPECTED = events.map(({ what, isGood }) => `${what}: ${String(isGood)}`);

/** Programs that use the examples: `verify` all vectors, and `order` at the session server in `SERVER`. */
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
          echo $what, ': ', $event['data']['order'] === 'A1001' && $event['id'] === 'msg_1' ? 'true' : 'wrong', "\n";
        } catch (SignatureError) {
          echo $what, ": false\n";
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
        result = 'true' if event['data']['order'] == 'A1001' and event['id'] == 'msg_1' else 'wrong'
    except SignatureError:
        result = 'false'
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
  it.each(events)('verify as they say: $what', async ({ isGood, now, headers, body }) => {
    vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] });
    const request = new Request('http://shop.example', { method: 'POST', headers, body });
    const event = await new PayCheckout(GOOD).events
      .verify(request)
      .catch((error: unknown) => error);
    expect(event).toMatchObject(isGood ? { id: 'msg_1' } : { code: 'bad_signature' });
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
});
