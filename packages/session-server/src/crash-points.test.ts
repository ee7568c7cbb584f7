import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { CRASH_POINTS, parseCrashPlan } from './crash-points.js';

/** Open, return, webhook, evidence, event delivery, and the store under them. */
const MODULES = [
  'checkout/checkout-routes.ts',
  'checkout/opening-intake.ts',
  'checkout/checkout-service.ts',
  'checkout/partner-gateway.ts',
  'returns/*',
  'webhooks/*',
  'evidence/*',
  'order-events/*',
  'sqlite/*',
];

const READS = 'It only reads: dying there is like dying before it.';
const INSIDE = 'The points are inside of what is called.';
const CLOSING = 'The server is closing; nothing is stored or sent.';

/** Awaits without a crash point next to them: where, a part of their text, and why not. */
const WITHOUT_POINT: readonly (readonly [file: string, text: string, why: string])[] = [
  ['checkout/checkout-routes.ts', 'service.merchant(', READS],
  ['checkout/opening-intake.ts', 'headersFor(', READS],
  ['checkout/opening-intake.ts', 'limiters.opens(', 'It only counts, in memory.'],
  ['checkout/opening-intake.ts', 'readBody(', READS],
  ['checkout/opening-intake.ts', 'service.merchant(', READS],
  ['checkout/checkout-routes.ts', 'status.ask(', READS],
  ['checkout/checkout-service.ts', 'merchants.find(id)', READS],
  ['checkout/checkout-service.ts', 'this.merchant(', READS],
  ['checkout/checkout-service.ts', 'admit(', 'It only counts, in memory.'],
  ['checkout/checkout-service.ts', 'store.find(checkout)', READS],
  ['checkout/checkout-service.ts', 'this.#openAtItsPrice(', INSIDE],
  ['checkout/checkout-service.ts', 'store.findOrder(', READS],
  ['checkout/checkout-service.ts', 'needsAddress(', READS],
  ['checkout/checkout-service.ts', 'this.#send(', INSIDE],
  ['checkout/checkout-service.ts', 'this.#open(', INSIDE],
  ['checkout/partner-gateway.ts', 'checkoutSessions.create(', 'Next is open:session-created.'],
  ['checkout/partner-gateway.ts', 'transactions.list(', 'Next is evidence:page-read.'],
  ['returns/return-routes.ts', 'visits.take(', INSIDE],
  ['returns/return-routes.ts', 'store.find(request', READS],
  ['returns/return-routes.ts', 'merchants.find(checkout.merchant)', READS],
  ['returns/return-routes.ts', 'merchants.find(visit.checkout.merchant)', READS],
  ['returns/return-visits.ts', 'this.#repeat(', READS],
  ['returns/return-visits.ts', 'this.#record(', INSIDE],
  ['returns/return-visits.ts', 'this.#visits.allows(', 'It only counts, in memory.'],
  ['returns/return-visits.ts', 'this.#store.find(', READS],
  ['evidence/explain.ts', '', READS],
  ['evidence/transaction-reader.ts', 'this.#running', CLOSING],
  ['evidence/transaction-reader.ts', 'this.#pause()', 'It only waits for the next look.'],
  ['evidence/transaction-reader.ts', 'new Promise<void>', 'It only waits for the next look.'],
  ['evidence/transaction-reader.ts', 'this.#lookOnce(', INSIDE],
  ['evidence/transaction-reader.ts', 'this.#readBack(', INSIDE],
  ['evidence/transaction-reader.ts', 'this.#readPages({', INSIDE],
  ['evidence/transaction-reader.ts', 'this.#readPages(rest)', INSIDE],
  ['evidence/evidence-service.ts', 'merchants.find(merchantId)', READS],
  ['evidence/evidence-service.ts', 'merchants.find(due.merchant)', READS],
  ['evidence/evidence-service.ts', 'look(sinceMs)', INSIDE],
  ['evidence/evidence-service.ts', 'merchants.all()', READS],
  [
    'evidence/evidence-service.ts',
    'lost?.adopt(',
    'An attempt that was found again is watched, so its row is read again.',
  ],
  ['evidence/evidence-service.ts', 'this.#judgeRow(', INSIDE],
  ['evidence/evidence-service.ts', 'reader.close()', CLOSING],
  ['evidence/evidence-service.ts', 'this.#pumps.values()', CLOSING],
  ['evidence/evidence-service.ts', 'store.find(attempt.checkout)', READS],
  ['evidence/evidence-service.ts', 'store.findMany(', READS],
  ['sqlite/sqlite-checkout-store.ts', 'set(IS_CLOSED', CLOSING],
  ['sqlite/sqlite-checkout-store.ts', 'deliveries.insert(', INSIDE],
  ['sqlite/sqlite-checkout-store.ts', 'this.#connection.close()', CLOSING],
  ['sqlite/sqlite-connection.ts', 'this.#commits.flush()', CLOSING],
  ['sqlite/group-commit.ts', 'this.#syncing', CLOSING],
  ['webhooks/delivery-inbox.ts', 'store.nextDeliveryAt()', READS],
  ['webhooks/delivery-inbox.ts', 'store.find(attempt.checkout)', READS],
  ['webhooks/delivery-inbox.ts', 'store.findMany(', READS],
  ['webhooks/delivery-inbox.ts', 'merchants.find(attempt.merchant)', READS],
  ['webhooks/delivery-inbox.ts', 'merchants.all()', READS],
  ['webhooks/delivery-inbox.ts', 'findAttemptsByReference(', READS],
  ['webhooks/delivery-inbox.ts', 'verifyWebhook(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#find(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#findNamed(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#referencesOf(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#readingsOf(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#verify(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#judge(', INSIDE],
  ['webhooks/delivery-inbox.ts', 'this.#prove(', READS],
  ['webhooks/delivery-inbox.ts', 'this.#settle(', INSIDE],
  ['webhooks/delivery-inbox.ts', 'this.#eraser.run(', INSIDE],
  ['webhooks/delivery-eraser.ts', 'this.#erase(', INSIDE],
  ['webhooks/delivery-eraser.ts', 'store.purgeErased()', 'It moves what is on the disk already.'],
  ['webhooks/webhook-intake.ts', 'store.findWebhookAttempt(', READS],
  ['webhooks/webhook-intake.ts', 'isRegistered(', READS],
  ['webhooks/webhook-intake.ts', 'merchants.all()', READS],
  ['webhooks/webhook-intake.ts', 'readBody(', READS],
  ['order-events/event-sender.ts', 'store.nextEventAt()', READS],
  ['order-events/event-sender.ts', 'job.close()', CLOSING],
  ['order-events/event-sender.ts', 'Promise.all(sending)', CLOSING],
  ['order-events/event-sender.ts', 'tryOnce(', INSIDE],
  ['order-events/event-sender.ts', 'merchants.find(event.merchant)', READS],
];

interface FoundAwait {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly hasPoint: boolean;
}

const root = import.meta.dirname;

function listFiles(pattern: string): string[] {
  if (!pattern.endsWith('/*')) return [pattern];
  const folder = pattern.slice(0, -2);
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`);
}

function parse(file: string): ts.SourceFile {
  const text = readFileSync(join(root, file), 'utf8');
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

/** The name in `crashPoint('…');`, also when that stands behind an `if`. */
function pointOf(node: ts.Node | undefined): string | undefined {
  if (node && ts.isIfStatement(node)) return pointOf(node.thenStatement);
  if (!node || !ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) {
    return undefined;
  }
  const { expression, arguments: given } = node.expression;
  if (expression.getText() !== 'crashPoint') return undefined;
  const [name] = given;
  return name && ts.isStringLiteral(name) ? name.text : undefined;
}

/** Whether the statement that an expression is part of stands right before or after a crash point. */
function isNextToPoint(node: ts.Node): boolean {
  let statement = node;
  while (!ts.isBlock(statement.parent) && !ts.isCaseOrDefaultClause(statement.parent)) {
    statement = statement.parent;
    if (ts.isSourceFile(statement)) return false;
  }
  const { statements } = statement.parent;
  const index = statements.findIndex((sibling) => sibling === statement);
  return [statements[index - 1], statements[index + 1]].some((next) => pointOf(next) !== undefined);
}

function isAwaiting(node: ts.Node): boolean {
  return ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && Boolean(node.awaitModifier));
}

function findAwaits(file: string): FoundAwait[] {
  const source = parse(file);
  const found: FoundAwait[] = [];
  visit(source, (node) => {
    if (!isAwaiting(node)) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ file, line, text: node.getText(), hasPoint: isNextToPoint(node) });
  });
  return found;
}

const awaits = MODULES.flatMap(listFiles).flatMap(findAwaits);

describe('crash points', () => {
  it('every await of the modules that must not lose anything has one, or a reason why not', () => {
    const bare = awaits
      .filter(({ hasPoint }) => !hasPoint)
      .filter(
        ({ file, text }) =>
          !WITHOUT_POINT.some(([known, part]) => known === file && text.includes(part)),
      )
      .map(({ file, line, text }) => `${file}:${line} ${text}`);
    expect(bare).toEqual([]);
  });

  it('every reason belongs to an await that is there, and needs it', () => {
    const idle = WITHOUT_POINT.filter(
      ([known, part]) =>
        !awaits.some(
          ({ file, text, hasPoint }) => file === known && text.includes(part) && !hasPoint,
        ),
    );
    expect(idle).toEqual([]);
  });

  it('every name stands in exactly one place', () => {
    const used: string[] = [];
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      visit(parse(file), (node) => {
        const name = ts.isIfStatement(node) ? undefined : pointOf(node);
        if (name !== undefined) used.push(name);
      });
    }
    expect(used.toSorted()).toEqual([...CRASH_POINTS].toSorted());
  });

  it('are all told in docs/drill.md, and no others', () => {
    const text = readFileSync(join(root, '../../../docs/drill.md'), 'utf8');
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
