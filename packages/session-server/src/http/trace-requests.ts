import { context, SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { fail, getTracer } from '../tracing/spans.js';
import { requestIdOf } from './headers.js';
import { routeOf } from './observe-requests.js';

/**
 * Has a span for each request, named by the template of its route. It is no child of a span that the
 * caller names: anyone may call, and would decide what is recorded.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const { method } = request;
  const span = getTracer().startSpan(method, {
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': method,
      'pay_checkout.request_id': requestIdOf(response),
    },
  });
  response.once('close', () => {
    const route = routeOf(request);
    if (route !== 'none') span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    if (response.writableFinished) {
      const status = response.statusCode;
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) fail(span, String(status));
    }
    span.end();
  });
  context.with(trace.setSpan(context.active(), span), next);
};
