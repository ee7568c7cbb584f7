/** Every language verifies alike: the test vectors of the documents, with the examples beside our own code. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PayCheckout } from './client.js';
import { MERCHANT } from './testing/real-stack.js';

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

const INTERPRETERS = {
  PHP: {
    command: 'php',
    code: `
      require $argv[1] . '/examples/php/PayCheckout.php';
      $vectors = json_decode(file_get_contents($argv[1] . '/docs/vectors.json'), true);
      $pay = new PayCheckout('https://pay.example', 'key', $vectors['signingSecret']);
      foreach ($vectors['events'] as ['what' => $what, 'now' => $now, 'headers' => $headers, 'body' => $body]) {
        try {
          $event = $pay->verifyEvent($headers, $body, $now);
          echo $what, ': ', $event['data']['order'] === 'A1001' && $event['id'] === 'msg_1' ? 'true' : 'wrong', "\\n";
        } catch (SignatureError) {
          echo $what, ": false\\n";
        }
      }`,
    args: (code: string) => ['-d', 'error_reporting=-1', '-r', code, ROOT],
  },
  Python: {
    command: 'python3',
    code: `
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
    args: (code: string) => ['-c', code, ROOT],
  },
};

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

  it.for(Object.entries(INTERPRETERS))(
    'verify alike in %s',
    ([, { command, code, args }], { task, skip }) => {
      const { stdout, stderr, error } = spawnSync(command, args(code), { encoding: 'utf8' });
      if (error !== undefined) {
        task.meta.notRun = `${command} is not installed`;
        skip(task.meta.notRun);
      }
      expect([stdout.trim().split('\n'), stderr]).toEqual([EXPECTED, '']);
    },
  );
});
