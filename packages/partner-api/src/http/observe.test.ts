import { SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import {
  TracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';

import { showEverything, recordDiagnostics } from '../testing/show-everything.js';
import { answerJson, clientOf, failureOf, pageOf, startServer } from '../testing/test-server.js';
import type { TracerLike } from './observe.js';

const CANARY = 'canary-key-19f4';
const ROW = { id: 'canary-row', firstname: 'canary-name' };

describe('the diagnostics channels', () => {
  it('report each attempt and the whole call, with no key, no body and no path', async () => {
    await using server = await startServer((response, _, number) => {
      response.setHeader('x-request-id', `req-${number}`);
      answerJson(response, number === 1 ? {} : pageOf(ROW), number === 1 ? 503 : 200);
    });
    const recorded = recordDiagnostics();
    const client = clientOf(`${server.url}/canary-path`, { apiKey: CANARY });
    await client.transactions.list({ cursor: 'canary-cursor' });
    recorded.stop();
    expect(recorded.events.map(({ channel }) => channel)).toEqual([
      'call.start',
      'attempt.start',
      'attempt.end',
      'attempt.start',
      'attempt.end',
      'call.end',
    ]);
    const [start, , failed, , succeeded, end] = recorded.events.map(({ event }) => event);
    expect(start).toMatchObject({ operation: 'transactions.list', method: 'POST' });
    expect(failed).toMatchObject({ attempt: 1, status: 503, error: 'ServerError' });
    expect(failed).toMatchObject({ outcome: 'unknown', requestId: 'req-1' });
    expect(succeeded).toMatchObject({ attempt: 2, status: 200, requestBytes: 26 });
    expect(end).toMatchObject({ attempts: 2, status: 200, call: start?.['call'] });
    expect(end?.['durationMilliseconds']).toBeGreaterThan(0);
    expect(showEverything(recorded.events)).not.toContain('canary');
  });

  it('report a failed call, and nothing without a listener', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 401));
    const recorded = recordDiagnostics();
    await failureOf(clientOf(server.url).transactions.list());
    recorded.stop();
    await failureOf(clientOf(server.url).transactions.list());
    expect(recorded.events.filter(({ channel }) => channel === 'call.end')).toMatchObject([
      { event: { error: 'AuthenticationError', outcome: 'refused', status: 401, attempts: 1 } },
    ]);
  });
});

describe('a tracer of OpenTelemetry', () => {
  const startTracer = (): { exporter: InMemorySpanExporter; tracer: Tracer } => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    return { exporter, tracer: new TracerProvider({ spanProcessors }).getTracer('test') };
  };

  it('gets a span for each call, with no key and no body', async () => {
    await using server = await startServer((response, _, number) => {
      answerJson(response, pageOf(ROW), number === 1 ? 503 : 200);
    });
    const { exporter, tracer } = startTracer();
    await clientOf(server.url, { apiKey: CANARY, tracer }).transactions.list();
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'transactions.list',
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'pay_checkout.attempts': 2,
      },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(showEverything(span?.attributes)).not.toContain('canary');
  });

  it('reports a failure by class and outcome', async () => {
    await using server = await startServer((response) => answerJson(response, ROW, 401));
    const { exporter, tracer } = startTracer();
    await failureOf(clientOf(server.url, { apiKey: CANARY, tracer }).transactions.list());
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      attributes: { 'error.type': 'AuthenticationError', 'pay_checkout.outcome': 'refused' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(showEverything([span?.attributes, span?.status, span?.events])).not.toContain('canary');
  });

  it('of the interface package fits as it is', () => {
    const tracer: TracerLike = trace.getTracer('any');
    expect(() => clientOf('https://h.example', { tracer })).not.toThrow();
  });
});
