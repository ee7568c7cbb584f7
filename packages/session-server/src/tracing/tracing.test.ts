import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { context, diag, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { TestStack } from '../testing/test-stack.js';

const exporter = new InMemorySpanExporter();
const sdk = startNodeSdk({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  metricReaders: [],
  logRecordProcessors: [],
});

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0' } });
});
afterAll(async () => {
  await stack.close();
  await sdk.shutdown();
  for (const api of [trace, context, propagation, diag]) api.disable();
});

const spans = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);
/** The first span of a name, once it has ended. */
async function spanOf(name: string, of?: string): Promise<ReadableSpan> {
  const find = () =>
    spans(name).find(
      ({ attributes }) => of === undefined || Object.values(attributes).includes(of),
    );
  await expect.poll(find).toBeDefined();
  return find() as ReadableSpan;
}

describe('the traces of a payment', () => {
  it('have its request, the calls that it makes, and the id that the page, log and event have', async () => {
    const opened = await stack.open('T1', { amount: '9.99' });
    const requestId = opened.headers.get('x-request-id') ?? '';
    const { checkout, sessionId = '' } = opened.body;
    const request = await spanOf('POST /v1/checkouts', requestId);
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      parentSpanContext: undefined,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/checkouts',
        'http.response.status_code': 200,
        'pay_checkout.request_id': requestId,
        'pay_checkout.merchant': 'teashop',
        'pay_checkout.order': 'T1',
        'pay_checkout.checkout': checkout,
      },
    });
    const { traceId, spanId } = request.spanContext();
    for (const call of ['shop.ask', 'checkoutSessions.create']) {
      const span = spans(call).find((one) => one.spanContext().traceId === traceId);
      expect(span?.parentSpanContext?.spanId, call).toBe(spanId);
      expect(span?.kind).toBe(SpanKind.CLIENT);
      expect(span?.attributes['http.response.status_code']).toBe(200);
    }

    await stack.payAtProvider(sessionId);
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.until(checkout, 'paid');
    const event = await stack.shop.event('checkout.paid');
    expect(event.data).toMatchObject({ requestId });
    const delivery = await spanOf('event.deliver', requestId);
    expect(delivery).toMatchObject({
      parentSpanContext: undefined,
      attributes: {
        'pay_checkout.event': event.id,
        'pay_checkout.event_type': 'checkout.paid',
        'pay_checkout.checkout': checkout,
        'pay_checkout.tries': 1,
      },
    });
    const sent = await spanOf('shop.deliver');
    expect(sent.parentSpanContext?.spanId).toBe(delivery.spanContext().spanId);
  });

  it('have each poll as a trace of its own, with its pages', async () => {
    const poll = await spanOf('transactions.poll');
    expect(poll.parentSpanContext).toBeUndefined();
    expect(poll.attributes).toMatchObject({
      'pay_checkout.account': 'default',
      'pay_checkout.pages': 1,
    });
    const { traceId } = poll.spanContext();
    const page = spans('transactions.list').find((one) => one.spanContext().traceId === traceId);
    expect(page?.parentSpanContext?.spanId).toBe(poll.spanContext().spanId);
  });

  it('show what failed by its kind', async () => {
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'error', status: 400 });
    const opened = await stack.open('T2', { amount: '9.99' });
    expect(opened.status).toBeGreaterThanOrEqual(500);
    const requestId = opened.headers.get('x-request-id') ?? '';
    const request = await spanOf('POST /v1/checkouts', requestId);
    expect(request.status.code).toBe(SpanStatusCode.ERROR);
    expect(request.attributes['error.type']).toBe(String(opened.status));

    stack.shop.eventAnswers.push(500);
    const other = await stack.open('T3', { amount: '9.99' });
    await stack.fetch(stack.returnPath(other.body.sessionId ?? '', 'CancelUrl'));
    const delivery = await spanOf('event.deliver', other.body.checkout);
    expect(delivery.attributes).toMatchObject({ 'error.type': 'refused' });
  });

  it('have what an operator asks, but not each read of the metrics', async () => {
    await stack.open('T4', { amount: '9.99' });
    const answer = await stack.askOperator('/operator/orders/teashop/T4/explain');
    expect(answer.status).toBe(200);
    const request = await spanOf('GET /operator/orders/{merchant}/{order}/explain');
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      attributes: {
        'http.response.status_code': 200,
        'pay_checkout.request_id': answer.headers.get('x-request-id'),
      },
    });
    await stack.askOperator('/metrics');
    await stack.askOperator('/operator/attention');
    await spanOf('GET /operator/attention');
    expect(exporter.getFinishedSpans().filter(({ name }) => name.includes('metrics'))).toEqual([]);
  });

  it('take no trace of a caller as their own, and have routes for names', async () => {
    const traceparent = '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01';
    await stack.fetch('/v1/return/Secret7Secret7Secret7S?a=Secret7', { headers: { traceparent } });
    const span = await spanOf('GET /v1/return/{token}');
    expect(span.spanContext().traceId).not.toBe('a'.repeat(32));
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes)))
      .not //
      .toContain('Secret7');
  });
});

describe('the program with the OpenTelemetry SDK', () => {
  it('sends its spans by OTLP, configured by the OTEL_ variables, also when it is stopped', async () => {
    const received: { path: string; body: string }[] = [];
    const collector = await LocalServer.start((request, response) => {
      void readText(request).then((body) => {
        received.push({ path: request.url ?? '', body });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const program = fork(fileURLToPath(new URL('../../dist/main.js', import.meta.url)), {
      execArgv: ['--import', '@pay-checkout/session-server/opentelemetry'],
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: {
        ...stack.env,
        PATH: process.env['PATH'],
        PAY_DATABASE_FILE: `${stack.databaseFile}-traced`,
        PAY_LOG_LEVEL: 'info',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        // Nothing is sent before the end.
        OTEL_BSP_SCHEDULE_DELAY: '3600000',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const log = readText(program.stdout as Readable);
    try {
      const [{ port }] = (await once(program, 'message')) as [{ port: number }];
      const answer = await fetch(
        `http://127.0.0.1:${String(port)}/v1/checkout-config?merchant=teashop`,
      );
      const requestId = answer.headers.get('x-request-id') ?? '';
      const refused = await fetch(`http://127.0.0.1:${String(port)}/v1/nothing`);
      const refusedId = refused.headers.get('x-request-id') ?? 'none';
      expect(received).toEqual([]);
      program.kill('SIGTERM');
      await once(program, 'exit');
      expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
      const body = received.map((one) => one.body).join();
      for (const text of [
        'GET /v1/checkout-config',
        requestId,
        'pay-session-server',
        'deployment.environment.name',
      ]) {
        expect(body).toContain(text);
      }
      const line = (await log).split('\n').find((one) => one.includes(refusedId)) ?? '{}';
      const { traceId } = JSON.parse(line) as { traceId?: string };
      expect(traceId).toMatch(/^[\da-f]{32}$/);
      expect(body).toContain(traceId);
    } finally {
      program.kill('SIGKILL');
      await collector.close();
    }
  });
});
