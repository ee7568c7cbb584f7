import perfHooks from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestStack } from '../testing/test-stack.js';
import { readOperationsGuide } from '../testing/operations-guide.js';
import { ServerMetrics } from './server-metrics.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({
    env: { PAY_METRICS_PORT: '0' },
    tuning: { settleWindowSeconds: 60 },
  });
});
afterAll(() => stack.close());

const LAST_READ = 'pay_transaction_list_last_complete_read_timestamp_seconds{account="default"}';

const scrape = async (): Promise<string> => (await stack.askOperator('/metrics')).text;

/** What a sample of the metrics says, 0 when it is not there. */
async function sample(nameAndLabels: string): Promise<number> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${nameAndLabels} `));
  return Number(line?.slice(nameAndLabels.length + 1) ?? 0);
}

async function until(nameAndLabels: string, value: number): Promise<void> {
  await expect.poll(() => sample(nameAndLabels)).toBe(value);
}

describe('the metrics', () => {
  it('are text that Prometheus reads, with the defaults of the process', async () => {
    const { status, headers, text } = await stack.askOperator('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^process_resident_memory_bytes /m);
  });

  it('measure the process once, however many servers it starts', async () => {
    const measure = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
    const texts = [await new ServerMetrics().write(), await new ServerMetrics().write()];
    expect(measure).not.toHaveBeenCalled();
    measure.mockRestore();
    for (const text of texts) expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  it('say that the store is up, and how long it takes', async () => {
    expect(await sample('pay_store_up')).toBe(1);
    for (const operation of ['read', 'transaction']) {
      const count = `pay_store_operation_duration_seconds_count{operation="${operation}"}`;
      expect(await sample(count)).toBeGreaterThan(0);
    }
  });

  it('have a zero for what must never happen unseen', async () => {
    const text = await scrape();
    expect(text).toContain('pay_attention_total{code="paid_twice"} 0');
    expect(text).toContain('pay_checkout_transitions_total{from="returned",to="unconfirmed"} 0');
    expect(text).toMatch(/^pay_outbox_events_dead_lettered 0$/m);
  });

  it('count a payment from its checkout to its event', async () => {
    const startedAt = stack.clock.now() / 1000;
    const { body } = await stack.open('P1', { amount: '9.99' });
    expect(await sample('pay_checkouts_requested_total{result="opened"}')).toBe(1);
    expect(await sample('pay_checkout_transitions_total{from="new",to="open"}')).toBe(1);
    const calls =
      'pay_provider_call_duration_seconds_count{operation="create_session",account="default",outcome="created"}';
    expect(await sample(calls)).toBe(1);
    expect(await sample('pay_watched_attempts')).toBe(1);
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
    await stack.shop.event('checkout.paid');
    expect(await sample('pay_checkout_transitions_total{from="open",to="returned"}')).toBe(1);
    expect(await sample('pay_checkout_transitions_total{from="returned",to="paid"}')).toBe(1);
    expect(await sample('pay_outbox_events_total')).toBe(1);
    await until('pay_outbox_deliveries_total{result="acknowledged"}', 1);
    await until('pay_outbox_events_waiting', 0);
    await expect
      .poll(() => sample('pay_transaction_poll_duration_seconds_count{result="ok"}'))
      .toBeGreaterThan(0);
    expect(await sample('pay_transaction_pages_total')).toBeGreaterThan(0);
    expect(await sample(LAST_READ)).toBeGreaterThanOrEqual(startedAt);
    expect(await sample(LAST_READ)).toBeLessThanOrEqual(stack.clock.now() / 1000);
    expect(await sample('pay_transaction_unreadable_rows_total')).toBe(0);
  });

  it('count each payment too many', async () => {
    const { body } = await stack.open('P7', { amount: '9.99' });
    const sessionId = body.sessionId ?? '';
    for (const id of ['first', 'second', 'third']) {
      stack.sandbox.control.addTransaction({
        row: {
          ...{ id, merchantId: 1001, currencyCode: 'GBP', amount: '9.99', status: 'SUCCESS' },
          orderRef: stack.session(sessionId).MerchantReference ?? '',
          transactionTime: new Date(stack.clock.now()).toISOString(),
        },
      });
    }
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await until('pay_attention_total{code="paid_twice"}', 2);
  });

  it('count refused requests for a checkout, by their code', async () => {
    await stack.post('/v1/checkouts', { merchant: 'teashop', order: 'P2', orderToken: 'P2.1.x' });
    await stack.reopen('P3');
    expect(await sample('pay_checkouts_requested_total{result="order_not_found"}')).toBe(2);
  });

  it('count webhooks: what was answered, and what was processed', async () => {
    const { body } = await stack.open('P4', { amount: '9.99' });
    const path = stack.webhookPath(body.sessionId ?? '');
    for (const content of [{ any: 1 }, { any: 1 }, { event: 'test' }])
      await stack.post(path, content);
    expect(await sample('pay_webhooks_received_total{result="stored"}')).toBe(2);
    expect(await sample('pay_webhooks_received_total{result="test"}')).toBe(1);
    await until('pay_webhooks_processed_total{result="processed"}', 1);
    await until('pay_webhooks_processed_total{result="repeated"}', 1);
    await until('pay_webhooks_waiting', 0);
  });

  it('show how long a shopper has waited, and that the provider’s list fails', async () => {
    const { body } = await stack.open('P5', { amount: '9.99' });
    stack.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'error',
      status: 503,
      retryAfterSeconds: 3600,
      times: 100,
    });
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await until('pay_pollers_backing_off', 1);
    const lastRead = await sample(LAST_READ);
    const failed =
      'pay_provider_call_duration_seconds_count{operation="list_transactions",account="default",outcome="failed"}';
    expect(await sample(failed)).toBeGreaterThan(0);
    expect(
      await sample('pay_transaction_poll_duration_seconds_count{result="failed"}'),
    ).toBeGreaterThan(0);
    stack.advance(45);
    expect(await sample('pay_oldest_return_seconds')).toBeGreaterThanOrEqual(45);
    expect(await sample(LAST_READ)).toBe(lastRead);
    stack.advance(30);
    await stack.until(body.checkout, 'unconfirmed');
    expect(await sample('pay_attention_total{code="unconfirmed"}')).toBe(1);
    expect(await sample('pay_checkout_transitions_total{from="returned",to="unconfirmed"}')).toBe(
      1,
    );
    expect(await sample('pay_oldest_return_seconds')).toBe(0);
  });

  it('show how late events are', async () => {
    stack.shop.eventAnswers.push(...Array.from({ length: 20 }, () => 500));
    const { body } = await stack.open('P6', { amount: '9.99' });
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'CancelUrl'));
    await expect
      .poll(() => sample('pay_outbox_deliveries_total{result="refused"}'))
      .toBeGreaterThan(0);
    stack.advance(100);
    expect(await sample('pay_oldest_event_seconds')).toBeGreaterThanOrEqual(100);
    stack.shop.eventAnswers.length = 0;
  });

  it('name routes by their template, whatever the path was', async () => {
    const { body: api } = await stack.fetch<{ paths: Record<string, Record<string, unknown>> }>(
      '/openapi.json',
    );
    for (const path of [...Object.keys(api.paths), '/v1/pay-checkout.js', '/nowhere/A1001']) {
      const address = path.replaceAll(/\{\w+\}/g, 'Secret7Secret7Secret7S');
      await stack.fetch(address);
      await stack.fetch(address, { method: 'POST', body: '{' });
    }
    await stack.fetch('/v1/checkouts?id=AAAAAAAAAAAAAAAAAAAAAA:0&wait=1');
    const { body: pinned } = await stack.fetch<{ script: string }>('/v1/pay-checkout.json');
    await stack.fetch(pinned.script);
    const text = await scrape();
    expect(text).not.toContain('Secret7');
    expect(text).not.toContain('A1001');
    const routes = [
      ...text.matchAll(/pay_http_request_duration_seconds_count\{.*?route="([^"]+)"/g),
    ];
    const seen = new Set(routes.map(([, route = '']) => route));
    const known = [
      ...Object.keys(api.paths),
      '/openapi.json',
      'none',
      '/metrics',
      '/v1/pay-checkout.js',
      '/v1/pay-checkout.json',
      '/v1/pay-checkout.{hash}.js',
    ];
    expect([...seen].filter((route) => !known.includes(route))).toEqual(['/v1/checkouts?wait']);
    for (const path of Object.keys(api.paths)) expect([...seen]).toContain(path);
  });

  it('are the ones that docs/operations lists', async () => {
    const measured = [...(await scrape()).matchAll(/^# TYPE (pay_\w+)/gm)].map(([, name]) => name);
    const [, listed = ''] = readOperationsGuide().split(/## What is measured|## Traces/);
    const names = [...listed.matchAll(/\bpay_\w+/g)].map(([name]) => name);
    expect(names.toSorted()).toEqual(measured.toSorted());
  });

  it('have labels from closed lists only: no order, checkout, token or merchant', async () => {
    const allowed: Record<string, RegExp> = {
      method: /^(GET|POST|HEAD|OPTIONS)$/,
      route: /^(none|[a-z0-9/.{}?-]+)$/i,
      status: /^(\d{3}|gone)$/,
      result: /^[a-z_-]+$/,
      outcome: /^[a-z_]+$/,
      operation: /^(create_session|list_transactions|read|transaction)$/,
      account: /^default$/,
      from: /^[a-z]+$/,
      to: /^[a-z]+$/,
      code: /^[a-z_]+$/,
      refund: /^(partial|full)$/,
      version: /^\d+\.\d+\.\d+$/,
      flag: /^[a-z_]+$/,
      reason: /^((unknown|no)_merchant|not_stored|collision|connection)$/,
      le: /^(\+Inf|[\d.]+)$/,
    };
    const ours = (await scrape()).split('\n').filter((line) => line.startsWith('pay_'));
    const labels = ours.flatMap((line) => [...line.matchAll(/(\w+)="([^"]*)"/g)]);
    expect(labels.length).toBeGreaterThan(100);
    const unknown = labels.filter(([, name = '', value = '']) => !allowed[name]?.test(value));
    expect(unknown.map(([text]) => text)).toEqual([]);
    expect(ours.join('\n')).not.toContain('teashop');
  });
});

describe('a backfill that the minute has no pages for', () => {
  it('shows how long it has been in progress', async () => {
    const busy = await TestStack.start({
      env: { PAY_METRICS_PORT: '0' },
      tuning: { pollPagesPerMinute: 2 },
    });
    const backfillSeconds = async () => {
      const { text } = await busy.askOperator('/metrics');
      return Number(/^pay_oldest_backfill_seconds (\S+)$/m.exec(text)?.[1]);
    };
    try {
      await busy.open('D1', { amount: '9.99' });
      expect(await backfillSeconds()).toBe(0);
      busy.advance(2 * 3600);
      for (let row = 0; row < 400; row += 1) {
        const transactionTime = new Date(busy.clock.now() - row * 10_000).toISOString();
        busy.sandbox.control.addTransaction({ row: { merchantId: 1001, transactionTime } });
      }
      await expect.poll(backfillSeconds).toBeGreaterThan(0);
      busy.advance(50);
      expect(await backfillSeconds()).toBeGreaterThan(50);
    } finally {
      await busy.close();
    }
  });
});

describe('a listener for metrics alone', () => {
  it('has no page and no routes for programs, and refuses web pages', async () => {
    for (const path of ['/', '/page/session', '/operator/health']) {
      expect((await stack.askOperator(path)).status).toBe(404);
    }
    const headers = { origin: 'https://page.example' };
    expect((await stack.askOperator('/metrics', { headers })).status).toBe(403);
  });
});

describe('a server without an operator’s listener', () => {
  it('listens on one port only', async () => {
    const plain = await TestStack.start();
    try {
      expect(plain.server.operatorPort).toBeUndefined();
      expect((await plain.open('N1', { amount: '9.99' })).status).toBe(200);
    } finally {
      await plain.close();
    }
  });
});
