import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS, parseCrashPlan } from './crash-points.js';
import {
  findPromises,
  type FoundPromise,
  listSources,
  pointOf,
  visit,
} from './testing/find-promises.js';

/** Open, return, webhook, evidence, event delivery, restore, and the store under them. */
const MODULES = [
  'checkout/',
  'returns/',
  'webhooks/',
  'evidence/',
  'order-events/',
  'restore/',
  'restore-command.ts',
  'sqlite/',
];

const READS = 'It only reads: dying there is like dying before it.';
const CLOSING = 'The server is closing; nothing is stored or sent.';
const INSIDE = 'Nobody waits for it; the points are inside of what is called.';
const WAITS = 'It only waits for what is looked at where it is begun.';
const NEXT_START = 'One step that may be done again: nobody was told that it is done.';

/** What may be called without a crash point after it, wherever that is, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  'CheckoutStore.find': READS,
  'CheckoutStore.findAttempts': READS,
  'CheckoutStore.findAttemptsByReference': READS,
  'CheckoutStore.findMany': READS,
  'CheckoutStore.findOrder': READS,
  'CheckoutStore.findServed': READS,
  'CheckoutStore.findTransactions': READS,
  'DeliveryStore.findWebhookAttempt': READS,
  'DeliveryStore.nextDeliveryAt': READS,
  'EventStore.findDeadEvents': READS,
  'EventStore.nextEventAt': READS,
  'MerchantSource.all': READS,
  'MerchantSource.find': READS,
  'OperatorStore.findAttention': READS,
  'OperatorStore.findParkedDeliveries': READS,
  'OperatorStore.report': READS,
  OrderLookup: READS,
  'PartnerGateway.listTransactions': READS,
  'RestoreStore.findLoss': READS,
  'RestoreStore.findUnused': READS,
  'Transactions.list': READS,
  pageHeaders: READS,
  readBody: READS,
  verifyWebhook: READS,
  'CheckoutStore.close': CLOSING,
  'Repeating.close': CLOSING,
  'ShopClient.close': CLOSING,
};

/** Single places without one: the file, the whole of what is written there, and why not. */
const WITHOUT_POINT: readonly (readonly [file: string, text: string, why: string])[] = [
  ['checkout/change-feed.ts', 'moved', WAITS],
  [
    'checkout/partner-gateway.ts',
    'client.checkoutSessions.create(fields)',
    'Next is open:session-created.',
  ],
  ['metrics/observed-gateway.ts', 'gateway.createSession(fields)', 'Next is open:session-created.'],
  ['evidence/evidence-service.ts', 'this.#pump(checkout.merchant, interests)', INSIDE],
  ['evidence/sweeper.ts', 'evidence.look(oldest)', INSIDE],
  [
    'restore/loss-watch.ts',
    'evidence.look({ merchant: id, providerMerchantId, createdAt })',
    INSIDE,
  ],
  ['evidence/transaction-reader.ts', 'this.#run()', INSIDE],
  ['evidence/transaction-reader.ts', 'this.#running', WAITS],
  ['evidence/transaction-reader.ts', 'new Promise<void>', 'It only waits for the next look.'],
  [
    'order-events/event-sender.ts',
    'deliver(event, { ...options, answers, stop: stop.signal })',
    INSIDE,
  ],
  ['restore/put-back.ts', 'backup(source, copy)', 'Next is restore:copied.'],
  ['restore/put-back.ts', 'work(file)', 'The points are inside of what is called.'],
  ['sqlite/group-commit.ts', 'this.#syncing', WAITS],
  [
    'sqlite/group-commit.ts',
    'this.#settleWhenDurable(settleAhead(jobs), this.#sync)',
    'Next is store:synced.',
  ],
  ['webhooks/delivery-eraser.ts', 'store.purgeErased()', 'It moves what is on the disk already.'],
  ['events-command.ts', 'store.redriveEvents(filter)', NEXT_START],
  ['operator/operator-service.ts', 'this.#options.store.redriveEvents(filter)', NEXT_START],
  ['operator/operator-service.ts', 'store.ping()', NEXT_START],
  ['http/health-routes.ts', 'store.ping()', NEXT_START],
];

const isModule = (file: string): boolean => MODULES.some((module) => file.startsWith(module));

/** What writes for the payment, or asks the provider, stands in no other file. */
const isEffect = ({ target = '' }: FoundPromise): boolean =>
  /^(Checkout|Event|Delivery|Operator|Restore)Store\.|^PartnerGateway\./.test(target);

function needsPoint(promise: FoundPromise): boolean {
  const { file, target, use } = promise;
  if (target !== undefined && target in HARMLESS) return false;
  // What is handed on is looked at where it is waited for, but for what is stored or sent.
  if (target === 'own') return isModule(file) && use === 'left alone';
  return isModule(file) || isEffect(promise);
}

function describePromise({ file, line, text, use }: FoundPromise): string {
  return `${file}:${String(line)} ${use}: ${text}`;
}

describe('crash points', () => {
  let promises: FoundPromise[];
  beforeAll(() => {
    promises = findPromises(isModule);
  }, 120_000);

  it('stand right after every promise that stores or sends something, but for a reason why not', () => {
    const bare = promises
      .filter((promise) => needsPoint(promise) && !promise.hasPoint)
      .filter(
        ({ file, text }) =>
          !WITHOUT_POINT.some(([known, whole]) => known === file && whole === text),
      );
    expect(bare.map(describePromise)).toEqual([]);
  });

  it('are missing for no reason that is not needed', () => {
    const idle = WITHOUT_POINT.filter(
      ([known, whole]) =>
        !promises.some(
          (promise) =>
            promise.file === known &&
            promise.text === whole &&
            needsPoint(promise) &&
            !promise.hasPoint,
        ),
    );
    expect(idle).toEqual([]);
    const called = new Set(promises.map(({ target }) => target));
    expect(Object.keys(HARMLESS).filter((target) => !called.has(target))).toEqual([]);
  });

  it('are asked for in the modules that docs/drill.md names', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/drill.md'), 'utf8');
    const [, sentence = ''] = /A test fails([^]*?)\n\n/.exec(text) ?? [];
    const named = [...sentence.matchAll(/`([a-z-]+(?:\/|\.ts))`/g)].map(([, name]) => name);
    expect(named.filter((name) => name !== 'crash-points.ts')).toEqual(MODULES);
  });

  it('every name stands in exactly one place', () => {
    const used: string[] = [];
    for (const file of listSources()) {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), (node) => {
        const name = ts.isIfStatement(node) ? undefined : pointOf(node);
        if (name !== undefined) used.push(name);
      });
    }
    expect(used.toSorted()).toEqual([...CRASH_POINTS].toSorted());
  });

  it('are all told in docs/drill.md, and no others', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/drill.md'), 'utf8');
    const told = [...text.matchAll(/^\| `([a-z]+:[a-z-]+)`/gm)].map(([, name]) => name);
    expect(told).toEqual([...CRASH_POINTS]);
  });
});

describe('PAY_CRASH_AT', () => {
  it('names a point, and how many passes from the start', () => {
    expect(parseCrashPlan({ PAY_CRASH_AT: 'webhook:stored' })).toEqual({
      point: 'webhook:stored',
      pass: 1,
    });
    expect(parseCrashPlan({ PAY_CRASH_AT: 'store:committed:7' })).toEqual({
      point: 'store:committed',
      pass: 7,
    });
    expect(parseCrashPlan({})).toBeUndefined();
    expect(parseCrashPlan({ PAY_CRASH_AT: '' })).toBeUndefined();
  });

  it('is ignored in production', () => {
    const env = { PAY_CRASH_AT: 'webhook:stored', PAY_ENVIRONMENT: 'production' };
    expect(parseCrashPlan(env)).toBeUndefined();
  });

  it.each(['webhook', 'webhook:nowhere', 'webhook:stored:0', 'webhook:stored:x'])(
    'refuses %s by name',
    (text) => {
      expect(() => parseCrashPlan({ PAY_CRASH_AT: text })).toThrow(/PAY_CRASH_AT/);
    },
  );
});
