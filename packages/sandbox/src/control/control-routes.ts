import express, { Router } from 'express';
import { z } from 'zod';
import { faultBody } from '../faults/fault-body.js';
import { ApiError, invalidBody, parseBody } from '../http/errors.js';
import { isDecimal } from '../money.js';
import { currency, integer, text } from '../schemas.js';
import { switchesChange, WEBHOOK_OUTCOMES } from '../switches.js';
import { MAX_HISTORY_COUNT } from '../transactions/history.js';
import { MONEY_FIELDS, toWireRow } from '../transactions/transaction.js';
import { requireOwnPage } from './guard.js';
import { inspectorRoutes } from './inspector-routes.js';
import type { SandboxControl } from './sandbox-control.js';

const SECTION = 'control routes';

const seconds = z.number('expected a number of seconds').min(0, 'expected at least 0 seconds');
const decimal = z
  .union([text, z.number()], 'expected a decimal, as a string or a number')
  .transform(String)
  .refine(isDecimal, 'expected a plain decimal, for example "12.34"');

const payBody = z
  .strictObject({ scenario: text.optional(), visit: z.boolean().optional() })
  .default({});

const secondsBody = z.strictObject({ seconds });

const addedRowBody = z.strictObject({
  row: z
    .looseObject({
      id: text.optional(),
      transactionTime: z.iso
        .datetime('expected an ISO 8601 timestamp in UTC')
        .transform((time) => new Date(time).toISOString())
        .optional(),
      merchantId: integer.optional(),
      status: text.optional(),
      currencyCode: currency.optional(),
      ...Object.fromEntries(MONEY_FIELDS.map((field) => [field, decimal.optional()])),
    })
    .default({}),
  omit: z.array(text).optional(),
  visibleInSeconds: seconds.optional(),
});

const refundBody = z
  .strictObject({
    amount: decimal.optional(),
    as: z.enum(['change', 'add'], 'expected change or add').optional(),
    status: text.optional(),
  })
  .default({});

const historyBody = z.strictObject({
  count: integer
    .min(0, 'expected at least 0')
    .max(MAX_HISTORY_COUNT, `expected at most ${MAX_HISTORY_COUNT}`),
  seed: text.optional(),
  until: z.iso.datetime('expected an ISO 8601 timestamp in UTC').optional(),
  days: integer.min(1, 'expected at least 1').max(3650, 'expected at most 3650').optional(),
});

const deliveriesQuery = z.strictObject({ limit: z.coerce.number().int().min(1).optional() });

const webhookBody = z.strictObject({
  session: text,
  outcome: z.enum(WEBHOOK_OUTCOMES, `expected ${WEBHOOK_OUTCOMES.join(', ')}`).optional(),
});

const reorderBody = z.strictObject({
  count: integer.min(2, 'expected at least 2').max(100, 'expected at most 100'),
});

const resetBody = z.strictObject({ seed: text.optional() }).default({});

const clockBody = z.union(
  [z.strictObject({ advanceSeconds: z.number() }), z.strictObject({ now: z.iso.datetime() })],
  'expected {"advanceSeconds": 60} or {"now": "2026-01-31T12:00:00.000Z"}',
);

/**
 * `/_sandbox/…`: the control API over HTTP. It has no key, because the sandbox listens only on your
 * own machine. Bodies must be JSON, and a web page of another origin is refused.
 */
export function controlRoutes(control: SandboxControl): Router {
  const router = Router();
  router.use((request, _response, next) => {
    const hasBody = Number(request.get('content-length') ?? 0) > 0;
    if (hasBody && !request.is('application/json')) {
      throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.');
    }
    next();
  });
  router.use(requireOwnPage);
  router.use(express.json());
  router.use(inspectorRoutes(control));
  addStateRoutes(router, control);
  addSessionRoutes(router, control);
  addTransactionRoutes(router, control);
  addWebhookRoutes(router, control);
  addSwitchRoutes(router, control);
  router.post('/reset', (request, response) => {
    control.reset(parseBody(resetBody, request.body, SECTION).seed);
    response.status(204).end();
  });
  return router;
}

/** What has happened and what there is. */
function addStateRoutes(router: Router, control: SandboxControl): void {
  router.get('/deliveries', (request, response) => {
    const { limit = 0 } = parseBody(deliveriesQuery, request.query, SECTION);
    response.json({ deliveries: control.deliveries().slice(-limit) });
  });
  router.post('/webhooks/:id/resend', async (request, response) => {
    response.json(await control.resendWebhook(request.params.id));
  });
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

/** What a shopper does, without a browser. */
function addSessionRoutes(router: Router, control: SandboxControl): void {
  router.post('/sessions/:id/pay', async (request, response) => {
    const { scenario, visit } = parseBody(payBody, request.body, SECTION);
    response.json(await control.pay(request.params.id, scenario, visit));
  });
  router.post('/sessions/:id/cancel', async (request, response) => {
    response.json(await control.leave(request.params.id, 'CancelUrl'));
  });
  router.post('/sessions/:id/back', async (request, response) => {
    response.json(await control.leave(request.params.id, 'backurl'));
  });
  router.post('/sessions/:id/expire', (request, response) => {
    response.json(control.expire(request.params.id));
  });
}

function addTransactionRoutes(router: Router, control: SandboxControl): void {
  router
    .route('/transactions')
    .get((_request, response) => {
      response.json({
        transactions: control.transactions().map(({ row, visibleAt }) => ({
          visibleAt: new Date(visibleAt).toISOString(),
          row: toWireRow(row),
        })),
      });
    })
    .post((request, response) => {
      const row = control.addTransaction(parseBody(addedRowBody, request.body, SECTION));
      response.status(201).json(toWireRow(row));
    });
  router.post('/transactions/:id/refund', (request, response) => {
    const refund = parseBody(refundBody, request.body, SECTION);
    response.json(toWireRow(control.refund(request.params.id, refund)));
  });
  router.post('/transactions/:id/visibility', (request, response) => {
    const { seconds } = parseBody(secondsBody, request.body, SECTION);
    control.hideTransaction(request.params.id, seconds);
    response.status(204).end();
  });
}

function addWebhookRoutes(router: Router, control: SandboxControl): void {
  router.post('/webhooks/send', (request, response) => {
    const { session, outcome } = parseBody(webhookBody, request.body, SECTION);
    response.status(202).json({ webhooks: control.sendWebhook(session, outcome) });
  });
  router.post('/webhooks/forge', (request, response) => {
    const { session, outcome } = parseBody(webhookBody, request.body, SECTION);
    response.status(202).json({ webhooks: control.sendWebhook(session, outcome, true) });
  });
  router.post('/webhooks/reorder', (request, response) => {
    control.reorderWebhooks(parseBody(reorderBody, request.body, SECTION).count);
    response.status(204).end();
  });
}

function addSwitchRoutes(router: Router, control: SandboxControl): void {
  router
    .route('/history')
    .get((_request, response) => {
      response.json({ count: control.historyCount() });
    })
    .post((request, response) => {
      control.generateHistory(parseBody(historyBody, request.body, SECTION));
      response.json({ count: control.historyCount() });
    });
  router
    .route('/switches')
    .get((_request, response) => {
      response.json({ switches: control.describeSwitches() });
    })
    .patch((request, response) => {
      control.setSwitches(parseBody(switchesChange, request.body, SECTION));
      response.json({ switches: control.describeSwitches() });
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
      response.json(describeClock(control));
    })
    .post((request, response) => {
      moveClock(control, parseBody(clockBody, request.body, SECTION));
      response.json(describeClock(control));
    });
}

function moveClock({ clock }: SandboxControl, move: z.output<typeof clockBody>): void {
  try {
    if ('now' in move) clock.set(new Date(move.now));
    else clock.advance(move.advanceSeconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const field = 'now' in move ? 'now' : 'advanceSeconds';
    throw invalidBody(SECTION, { field, message: error.message });
  }
}

function describeClock({ clock }: SandboxControl): { now: string; offsetSeconds: number } {
  return { now: clock.nowText(), offsetSeconds: clock.offsetSeconds };
}
