import express, { Router } from 'express';
import type { z } from 'zod';
import { parseBody } from '../api/json-body.js';
import { ApiError } from '../api/api-error.js';
import type { VirtualClock } from '../clock.js';
import { toWireRow } from '../resources/transaction-row.js';
import {
  addedRowBody,
  clockBody,
  faultBody,
  historyBody,
  refundBody,
  secondsBody,
  signingBody,
  variantBody,
} from './control-schemas.js';
import type { SandboxControl } from './sandbox-control.js';

const SECTION = 'control routes';

/**
 * `/_sandbox/…`: the control API over HTTP. It has no key: the sandbox listens on one's own machine.
 * Bodies must be JSON, so a web page of another origin cannot post here.
 */
export function controlRoutes(control: SandboxControl): Router {
  const router = Router();
  router.use((request, _response, next) => {
    const hasBody = Number(request.get('content-length') ?? 0) > 0;
    if (request.method === 'POST' && hasBody && !request.is('application/json')) {
      throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.');
    }
    if (request.method !== 'GET' && request.get('sec-fetch-site') === 'cross-site') {
      throw new ApiError(403, 'Other sites may not control the sandbox.');
    }
    next();
  });
  router.use(express.json());

  router.get('/sessions', (_request, response) => {
    response.json({ sessions: control.sessions() });
  });
  router.get('/requests', (_request, response) => {
    response.json({ requests: control.requests() });
  });
  router.get('/deliveries', (_request, response) => {
    response.json({ deliveries: control.deliveries() });
  });
  addStateRoutes(router, control);
  addTransactionRoutes(router, control);
  addSwitchRoutes(router, control);
  router.post('/listing-delay', (request, response) => {
    control.delayListing(parseBody(secondsBody, request.body, SECTION).seconds);
    response.status(204).end();
  });
  router
    .route('/faults')
    .get((_request, response) => {
      response.json(control.faults());
    })
    .post((request, response) => {
      control.addFault(parseBody(faultBody, request.body, SECTION));
      response.status(201).json(control.faults());
    })
    .delete((_request, response) => {
      control.releaseFaults();
      response.status(204).end();
    });
  router
    .route('/clock')
    .get((_request, response) => {
      response.json(describeClock(control.clock));
    })
    .post((request, response) => {
      const order = parseBody(clockBody, request.body, SECTION);
      moveClock(control.clock, order);
      response.json(describeClock(control.clock));
    });
  router.post('/reset', (_request, response) => {
    control.reset();
    response.status(204).end();
  });
  return router;
}

function addTransactionRoutes(router: Router, control: SandboxControl): void {
  router
    .route('/transactions')
    .get((_request, response) => {
      response.json({
        transactions: control.transactions().map(({ row, visibleAt }) => ({
          visibleAt: new Date(visibleAt).toISOString(),
          row: toWireRow(row, []),
        })),
      });
    })
    .post((request, response) => {
      const row = control.addTransaction(parseBody(addedRowBody, request.body, SECTION));
      response.status(201).json(toWireRow(row, []));
    });
  router.post('/transactions/:id/refund', (request, response) => {
    const order = parseBody(refundBody, request.body, SECTION);
    response.json(toWireRow(control.refund(request.params.id, order), []));
  });
  router.post('/transactions/:id/visibility', (request, response) => {
    const { seconds } = parseBody(secondsBody, request.body, SECTION);
    control.hideTransaction(request.params.id, seconds);
    response.status(204).end();
  });
}

function addStateRoutes(router: Router, control: SandboxControl): void {
  router.get('/schedules', (_request, response) => {
    response.json({ schedules: control.schedules() });
  });
  router.get('/signup-links', (_request, response) => {
    response.json({ signupLinks: control.signupLinks() });
  });
  router.get('/transfers', (_request, response) => {
    response.json({ transfers: control.transfers() });
  });
  router.get('/webhooks', (_request, response) => {
    response.json({ webhooks: control.endpoints() });
  });
}

function addSwitchRoutes(router: Router, control: SandboxControl): void {
  router
    .route('/history')
    .get((_request, response) => {
      response.json({ count: control.generatedCount });
    })
    .post((request, response) => {
      control.generateHistory(parseBody(historyBody, request.body, SECTION));
      response.json({ count: control.generatedCount });
    });
  router
    .route('/variant')
    .get((_request, response) => {
      response.json({ variant: control.variant });
    })
    .post((request, response) => {
      control.variant = parseBody(variantBody, request.body, SECTION).variant;
      response.json({ variant: control.variant });
    });
  router
    .route('/webhook-signing')
    .get((_request, response) => {
      response.json({ scheme: control.signing ?? null });
    })
    .post((request, response) => {
      control.signing = parseBody(signingBody, request.body, SECTION).scheme ?? undefined;
      response.json({ scheme: control.signing ?? null });
    });
}

function moveClock(clock: VirtualClock, order: z.output<typeof clockBody>): void {
  try {
    if ('now' in order) clock.set(new Date(order.now));
    else clock.advance(order.advanceSeconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError(400, `The body is not what the interface describes (${SECTION}).`, {
      fields: [{ field: Object.keys(order)[0] ?? '(body)', message: error.message }],
    });
  }
}

function describeClock(clock: VirtualClock): { now: string; offsetSeconds: number } {
  return { now: clock.nowText(), offsetSeconds: clock.offsetSeconds };
}
