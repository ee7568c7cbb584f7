import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { ApiError } from '../api/api-error.js';
import { parseBody, readJsonBody } from '../api/json-body.js';
import { readCard } from '../card.js';
import type { CheckoutSession } from '../checkout-session.js';
import type { SandboxContext } from '../context.js';
import { renderCardForm } from './card-form-page.js';
import { renderChallenge } from './challenge-page.js';
import {
  makeExpiredNotice,
  makePaidNotice,
  makeUnknownNotice,
  type Notice,
} from './notice-page.js';
import { pageAssetRoutes } from './page-assets.js';
import { sendPage, type Page } from './page-layout.js';

type SessionRequest = Request<{ id: string }>;

const challengeBody = z.union([
  z.strictObject({ code: z.string() }),
  z.strictObject({ cancel: z.literal(true) }),
]);

/** `/pages/…`: what a shopper sees on the provider's own origin. */
export function pageRoutes(context: SandboxContext): Router {
  const router = Router();
  router.use('/assets', pageAssetRoutes());
  router.get('/form/:id', (request, response) => showForm(context, request, response, 'frame'));
  router.get('/pay/:id', (request, response) => showForm(context, request, response, 'page'));
  router.get('/challenge/:id', (request, response) => showChallenge(context, request, response));
  router.post('/sessions/:id/payments', ...readJsonBody(), async (request, response) => {
    const session = requireSession(context, String(request.params['id']));
    const { scenarios } = context.settings;
    const { card, scenario } = readCard(request.body, scenarios, context.clock.now());
    response.json(await context.payments.pay(session, card, scenario));
  });
  router.post('/sessions/:id/challenge', ...readJsonBody(), (request, response) => {
    const session = requireSession(context, String(request.params['id']));
    const answer = parseBody(challengeBody, request.body, 'challenge page');
    response.json(
      'code' in answer
        ? context.payments.answerChallenge(session, answer.code)
        : context.payments.cancelChallenge(session),
    );
  });
  return router;
}

function showForm(
  context: SandboxContext,
  request: SessionRequest,
  response: Response,
  layout: 'frame' | 'page',
): void {
  const session = findSession(context, request.params.id);
  const notice = noticeOf(session);
  if (session === undefined || notice !== undefined) {
    return sendNotice(request, response, layout, notice ?? makeUnknownNotice());
  }
  const challengeUrl = `/pages/challenge/${session.id}${parentQuery(request, layout)}`;
  sendPage(response, 200, {
    ...commonParts(request, layout),
    title: `Pay ${session.merchant.name}`,
    script: 'card-form.js',
    body: renderCardForm(session, context.settings.scenarios, {
      payUrl: `/pages/sessions/${session.id}/payments`,
      challengeUrl,
    }),
  });
}

function showChallenge(context: SandboxContext, request: SessionRequest, response: Response): void {
  const layout = request.query['parent'] === undefined ? 'page' : 'frame';
  const session = findSession(context, request.params.id);
  const notice = noticeOf(session);
  if (session === undefined || notice !== undefined) {
    return sendNotice(request, response, layout, notice ?? makeUnknownNotice());
  }
  const formUrl =
    layout === 'frame'
      ? `/pages/form/${session.id}${parentQuery(request, layout)}`
      : `/pages/pay/${session.id}`;
  if (session.challenge === undefined) return response.redirect(303, formUrl);
  sendPage(response, 200, {
    ...commonParts(request, layout),
    title: 'Your bank asks for a code',
    script: 'challenge.js',
    body: renderChallenge(session, context.settings.challengeCode, {
      answerUrl: `/pages/sessions/${session.id}/challenge`,
      formUrl,
    }),
  });
}

function sendNotice(
  request: SessionRequest,
  response: Response,
  layout: 'frame' | 'page',
  notice: Notice,
): void {
  sendPage(response, notice.status, {
    ...commonParts(request, layout),
    title: notice.title,
    script: 'notice.js',
    body: notice.body,
    notice: notice.text,
    failure: notice.failure,
  });
}

function noticeOf(session: CheckoutSession | undefined): Notice | undefined {
  if (session === undefined) return makeUnknownNotice();
  if (session.state === 'paid') return makePaidNotice(session);
  return session.state === 'expired' ? makeExpiredNotice(session) : undefined;
}

function commonParts(
  request: SessionRequest,
  layout: 'frame' | 'page',
): Pick<Page, 'layout' | 'session' | 'parentOrigin'> {
  return {
    layout,
    session: request.params.id,
    parentOrigin: layout === 'frame' ? parentOriginOf(request) : undefined,
  };
}

function parentQuery(request: SessionRequest, layout: 'frame' | 'page'): string {
  if (layout === 'page') return '';
  return `?parent=${encodeURIComponent(parentOriginOf(request) ?? '')}`;
}

/** The origin that the SDK says it runs on; anything but a plain web origin is ignored. */
function parentOriginOf(request: SessionRequest): string | undefined {
  const given = request.query['parent'];
  if (typeof given !== 'string' || !/^https?:\/\//.test(given)) return undefined;
  return URL.parse(given)?.origin === given ? given : undefined;
}

function findSession(context: SandboxContext, id: string): CheckoutSession | undefined {
  return context.sessions.findSession(id, context.clock.now());
}

function requireSession(context: SandboxContext, id: string): CheckoutSession {
  const session = findSession(context, id);
  if (session === undefined) throw new ApiError(404, 'There is no such session.');
  return session;
}
