import { fileURLToPath } from 'node:url';
import express, { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { failAs } from '../faults/play-fault.js';
import { readJsonBody } from '../http/accept-call.js';
import { ApiError, parseBody, type FieldError } from '../http/errors.js';
import type { CheckoutSession, PayingCard } from '../resources/session-store.js';
import type { Scenario } from '../scenario.js';
import { requestBody, text } from '../schemas.js';
import { renderCardForm } from './card-form-page.js';
import { renderChallenge } from './challenge-page.js';
import { html } from './html.js';
import { findNotice } from './notice-page.js';
import { sendPage, type Page } from './page-layout.js';
import { textsOf } from './page-texts.js';

type SessionRequest = Request<{ id: string }>;
type Layout = 'frame' | 'page';

const cardBody = requestBody({
  number: text,
  expiry: text,
  securityCode: text,
  name: text.max(200, 'expected at most 200 characters'),
});

/** The express button of the form. */
const walletBody = z.strictObject({ wallet: z.literal(true) });

const challengeBody = z.union([
  z.strictObject({ code: z.string() }),
  z.strictObject({ cancel: z.literal(true) }),
  z.strictObject({ wait: z.literal(true) }),
]);

/** `/pages/…`: what a shopper sees on the provider's own origin. */
export function pageRoutes(context: SandboxContext): Router {
  const { payments, settings, clock } = context;
  const router = Router();
  router.use(
    '/assets',
    express.static(fileURLToPath(new URL('../browser', import.meta.url)), {
      setHeaders: (response) => response.setHeader('Cache-Control', 'no-cache'),
    }),
  );
  router.use(['/form', '/pay'], failAs(context, 'pay-page'));
  router.use('/challenge', failAs(context, 'challenge-page'));
  router.use('/sessions/:id/payments', failAs(context, 'card-payment'));
  router.use('/sessions/:id/challenge', failAs(context, 'challenge-answer'));
  router.get('/form/:id', (request, response) => showForm(context, request, response, 'frame'));
  router.get('/pay/:id', (request, response) => showForm(context, request, response, 'page'));
  router.get('/challenge/:id', (request, response) => showChallenge(context, request, response));
  router.post('/device', (_request, response) => {
    sendPage(response, 200, {
      layout: 'frame',
      title: 'Device check',
      body: html`<p>Checked.</p>`,
    });
  });
  router.post('/sessions/:id/payments', ...readJsonBody(), async (request, response) => {
    const session = requireSession(context, String(request.params['id']));
    const { card, scenario } = readCard(request.body, settings.scenarios, clock.now());
    response.json(await payments.pay(session, card, scenario));
  });
  router.post('/sessions/:id/challenge', ...readJsonBody(), async (request, response) => {
    const session = requireSession(context, String(request.params['id']));
    const answer = parseBody(challengeBody, request.body, 'challenge page');
    if ('code' in answer) response.json(payments.answerChallenge(session, answer.code));
    else if ('cancel' in answer) response.json(payments.cancelChallenge(session));
    else response.json(await payments.awaitChallenge(session));
  });
  router.post('/sessions/:id/cancel', (request, response) => {
    response.json(payments.cancel(requireSession(context, request.params.id)));
  });
  return router;
}

function showForm(
  context: SandboxContext,
  request: SessionRequest,
  response: Response,
  layout: Layout,
): void {
  const session = findOpenSession(context, request, response, layout);
  if (session === undefined) return;
  const texts = textsOf(languageOf(request));
  sendPage(response, 200, {
    ...pageParts(request, layout),
    title: `${texts.pay} ${session.merchant.name}`,
    language: texts,
    script: 'card-form.js',
    body: renderCardForm(
      session,
      context.settings.scenarios,
      {
        payUrl: `/pages/sessions/${session.id}/payments`,
        challengeUrl: `/pages/challenge/${session.id}${parentQuery(request, layout)}`,
      },
      texts,
    ),
  });
}

function showChallenge(context: SandboxContext, request: SessionRequest, response: Response): void {
  const layout = request.query['parent'] === undefined ? 'page' : 'frame';
  const session = findOpenSession(context, request, response, layout);
  if (session === undefined) return;
  const form = layout === 'frame' ? 'form' : 'pay';
  const formUrl = `/pages/${form}/${session.id}${parentQuery(request, layout)}`;
  if (session.challenge === undefined) return response.redirect(303, formUrl);
  const texts = textsOf(languageOf(request));
  sendPage(response, 200, {
    ...pageParts(request, layout),
    title: texts.challenge.title,
    language: texts,
    script: 'challenge.js',
    body: renderChallenge(
      session,
      { answerUrl: `/pages/sessions/${session.id}/challenge`, formUrl },
      texts,
    ),
  });
}

/** Finds a session that can be paid. Otherwise it answers with a notice. */
function findOpenSession(
  context: SandboxContext,
  request: SessionRequest,
  response: Response,
  layout: Layout,
): CheckoutSession | undefined {
  const session = context.sessions.find(request.params.id, context.clock.now());
  const texts = textsOf(languageOf(request));
  const notice = findNotice(session, texts);
  if (notice === undefined) return session;
  sendPage(response, notice.status, {
    ...pageParts(request, layout),
    title: notice.title,
    language: texts,
    script: 'notice.js',
    body: notice.body,
    notice: notice.text,
    failure: notice.failure,
  });
  return undefined;
}

function requireSession({ sessions, clock }: SandboxContext, id: string): CheckoutSession {
  const session = sessions.find(id, clock.now());
  if (session === undefined) throw new ApiError(404, 'There is no session with this id.');
  return session;
}

function pageParts(
  request: SessionRequest,
  layout: Layout,
): Pick<Page, 'layout' | 'session' | 'parentOrigin'> {
  const parentOrigin = layout === 'frame' ? parentOriginOf(request) : undefined;
  return { layout, session: request.params.id, parentOrigin };
}

function parentQuery(request: SessionRequest, layout: Layout): string {
  const { lang } = request.query;
  const query = new URLSearchParams({
    ...(layout === 'frame' && { parent: parentOriginOf(request) ?? '' }),
    ...(typeof lang === 'string' && { lang }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}

/** That of the page around the frame, or the one that the browser prefers. */
function languageOf(request: SessionRequest): string | undefined {
  const { lang } = request.query;
  return typeof lang === 'string' && lang !== '' ? lang : request.acceptsLanguages()[0];
}

/** The origin that the SDK says it runs on. Anything but a plain web origin is ignored. */
function parentOriginOf(request: SessionRequest): string | undefined {
  const given = request.query['parent'];
  if (typeof given !== 'string' || !/^https?:\/\//.test(given)) return undefined;
  return URL.parse(given)?.origin === given ? given : undefined;
}

/** Checks what the card form sent and finds the scenario of the card. A real card is refused. */
function readCard(
  body: unknown,
  scenarios: readonly Scenario[],
  now: number,
): { card: PayingCard; scenario: Scenario } {
  const [approved] = scenarios;
  if (approved && walletBody.safeParse(body).success) {
    const card = { last4Digits: approved.cardNumber.slice(-4), holder: 'Robin Sample' };
    return { card: { ...card, paymentMethod: 'Google Pay' }, scenario: approved };
  }
  const input = parseBody(cardBody, body, 'card form');
  const number = input.number.replace(/[\s-]/g, '');
  const name = input.name.trim();
  const scenario = scenarios.find(({ cardNumber }) => cardNumber === number);
  const fields: FieldError[] = [];
  const refuse = (field: string, message: string): void => void fields.push({ field, message });
  if (scenario === undefined) {
    refuse('number', 'Use one of the test cards. Never use a real card in a sandbox.');
  }
  if (!isFutureMonth(input.expiry, now)) {
    refuse('expiry', 'Enter a month that is not over, as MM/YY.');
  }
  if (!/^\d{3,4}$/.test(input.securityCode.trim())) {
    refuse('securityCode', 'Enter the 3 or 4 digits of the code.');
  }
  if (name === '') refuse('name', 'Enter the name on the card.');
  if (scenario === undefined || fields.length > 0) {
    throw new ApiError(422, 'Please check the card.', { fields });
  }
  return { card: { last4Digits: number.slice(-4), holder: name }, scenario };
}

function isFutureMonth(expiry: string, now: number): boolean {
  const match = /^(0[1-9]|1[0-2])\s*\/\s*(\d{2})$/.exec(expiry.trim());
  return match !== null && now < Date.UTC(2000 + Number(match[2]), Number(match[1]), 1);
}
