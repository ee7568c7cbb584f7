import { linkTo } from '@pay-checkout/page-kit/address';
import { type Cell, renderFacts, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { TimelineEvent } from '../../src/control/timeline.js';
import type { Scenario } from '../../src/scenario.js';
import type { SplitShares } from '../../src/split-fee.js';
import type { TransactionRow } from '../../src/transactions/transaction.js';
import { renderForm } from '../forms.js';
import { badge, money, statusBadge, time, transactionLink } from '../parts.js';
import { renderRefund } from './transaction-view.js';
import { view, type Frame } from '../view.js';

type Session = ReturnType<SandboxControl['describeSession']>;
type Request = Session['request'];

interface SessionPage {
  readonly session: Session;
  readonly scenarios: readonly Scenario[];
  readonly row?: TransactionRow;
}

/** The 22 fields of spec 4.6, by what they are for. */
const FIELDS: Readonly<Record<string, readonly Exclude<keyof Request, 'SplitFee'>[]>> = {
  Order: ['merchant_id', 'order_id', 'MerchantReference', 'Amount', 'provider', 'host'],
  Shopper: ['customer_id', 'name', 'firstname', 'lastname', 'email', 'phoneNumber'],
  'Address and AVS': ['AvsHouseNumber', 'AvsPostcode', 'flat', 'address1', 'address2'],
  Addresses: ['RedirectUrl', 'CancelUrl', 'backurl', 'WebhookUrl'],
};

/** One checkout: its fields, what happened to it, and what may happen next. */
export const sessionView = view<SessionPage>({
  path: 'sessions/:id',
  under: 'sessions',
  title: ({ id = '' }) => `Session ${id.slice(0, 8)}…`,
  read: async (read, { id = '' }) => {
    const [session, { scenarios }] = await Promise.all([
      read<Session>(`sessions/${encodeURIComponent(id)}`),
      read<SessionPage>('about'),
    ]);
    const { transactionId } = session;
    if (transactionId === undefined) return { session, scenarios };
    const { row } = await read<{ row: TransactionRow }>(`transactions/${transactionId}`);
    return { session, scenarios, row };
  },
  draw: ({ session, scenarios, row }, _params, frame) =>
    html`${renderState(session)}
      ${session.state === 'open' ? renderActs(session, scenarios, frame) : nothing}
      ${row && session.transactionId ? renderRefund(row, frame) : nothing}
      <h2>What happened</h2>
      <ol class="timeline">
        ${session.timeline.map((event) => renderEvent(event, session))}
      </ol>
      ${session.split ? renderSplit(session.split, session) : nothing}
      ${renderAddressCheck(session)}
      <h2>Fields</h2>
      <p class="quiet">All 22 fields of section 4.6. A dash means that it was not sent.</p>
      ${Object.entries(FIELDS).map(
        ([name, fields]) =>
          html`<h3>${name}</h3>
            ${renderFacts(fields.map((field) => [field, String(session.request[field] ?? '')] as const))}`,
      )}
      ${
        session.split
          ? nothing
          : html`<h3>Split</h3>
              ${renderFacts([['SplitFee', '']])}`
      }`,
});

function renderState(session: Session): TemplateResult {
  const { state, session_id: id, lastRefusal } = session;
  return renderFacts([
    ['State', badge(state)],
    ['Amount', money(session.Amount, session.currency)],
    ['Merchant', `${session.merchantName} (${String(session.merchant_id)})`],
    ['Order', String(session.order_id)],
    ['Session', html`<code>${id}</code>`],
    ...(session.transactionId
      ? session.transactionIds.map((each) => ['Transaction', transactionLink(each)] as const)
      : [['Expires', time(session.expiresAt)] as const]),
    ...(lastRefusal && state === 'open' ? [['Last card', lastRefusal] as const] : []),
  ]);
}

interface Paid {
  readonly outcome: string;
  readonly message?: string;
}

function renderActs(
  session: Session,
  scenarios: readonly Scenario[],
  frame: Frame,
): TemplateResult {
  const path = `sessions/${session.session_id}`;
  const say = ({ outcome, message = '' }: Paid) => `${outcome}. ${message}`;
  const pay = (scenario: string) =>
    frame.act({ path: `${path}/pay`, body: { scenario }, done: say });
  return html`<article aria-label="What may happen next">
    <div class="buttons">
      <button @click=${() => pay('approved')}>Pay</button>
      <button class="outline" @click=${() => pay('declined')}>Decline</button>
      ${leaveButton(session, 'CancelUrl', 'cancel', 'Cancel', frame)}
      ${leaveButton(session, 'backurl', 'back', 'Back', frame)}
      <button
        class="outline"
        @click=${() => frame.act({ path: `${path}/expire`, done: 'The session has expired.' })}
      >
        Expire
      </button>
      <a href="/pages/pay/${session.session_id}" target="_blank">Open the pay page</a>
    </div>
    ${renderForm<Paid>(frame, {
      buttons: { 'sessions/{id}/pay': 'Submit this card' },
      id: session.session_id,
      fields: {
        scenario: {
          label: 'Card',
          options: scenarios.map(({ name, title }) => [name, title]),
        },
      },
      done: say,
    })}
  </article>`;
}

function leaveButton(
  session: Session,
  field: 'CancelUrl' | 'backurl',
  action: string,
  word: string,
  frame: Frame,
): TemplateResult | typeof nothing {
  if (session[field] === undefined) return nothing;
  return html`<button
    class="outline"
    @click=${() =>
      frame.act({
        path: `sessions/${session.session_id}/${action}`,
        done: `The shopper has opened ${field}. The session is still open.`,
      })}
  >
    ${word}
  </button>`;
}

function renderEvent(event: TimelineEvent, { currency, createdAt }: Session): TemplateResult {
  const [tone, what] = describeEvent(event, currency);
  const isOtherDay = event.at.slice(0, 10) !== createdAt.slice(0, 10);
  return html`<li class="${tone} ${isOtherDay ? 'is-other-day' : ''}">
    ${time(event.at)} <span>${what}</span>
  </li>`;
}

function describeEvent(event: TimelineEvent, currency: string): readonly [string, Cell] {
  switch (event.kind) {
    case 'request': {
      const { number, operation, status, state } = event.request;
      const link = html`<a href=${linkTo(`requests/${String(number)}`)}>${operation}</a>`;
      return ['', html`Called: ${link} ${statusBadge(status, state)}`];
    }
    case 'action':
      return describeAction(event.action, currency);
    case 'transaction': {
      const { amount, currencyCode, last4Digits } = event.row;
      const paid = `${money(amount, currencyCode)} with a card that ends in ${last4Digits ?? '–'}`;
      return ['is-good', html`Paid: ${paid}, ${transactionLink(event.id)}`];
    }
    case 'listed':
      return ['is-wait', html`${transactionLink(event.id)} appears in the transaction list`];
    case 'delivery': {
      const { number, attempt, to, status, error } = event.delivery;
      const isGood = status !== undefined && status < 300;
      const link = html`<a href=${linkTo(`webhooks/${String(number)}`)}>try ${attempt}</a>`;
      return [
        isGood ? 'is-good' : 'is-bad',
        html`Webhook to ${to}, ${link}: ${statusBadge(status, error)}`,
      ];
    }
    case 'expires':
      return ['is-next', 'Expires unless it is paid'];
    case 'expired':
      return ['is-bad', 'Expired'];
  }
}

const DONE: Readonly<Record<string, string>> = {
  payments: 'Card submitted on the page',
  challenge: 'Bank’s challenge answered on the page',
  pay: 'Card submitted',
  cancel: 'Shopper opened CancelUrl',
  back: 'Shopper opened backurl',
  expire: 'Expired on request',
  refund: 'Refund',
  visibility: 'Listing changed',
};

function describeAction(
  {
    action,
    scenario,
    outcome,
    message,
    status,
    amountRefunded,
  }: Extract<TimelineEvent, { kind: 'action' }>['action'],
  currency: string,
): readonly [string, Cell] {
  const refunded = action === 'refund' ? money(amountRefunded, currency) : undefined;
  const tone = status >= 400 || outcome === 'declined' || outcome === 'expired' ? 'is-bad' : '';
  return [
    tone,
    html`${DONE[action] ?? action}${scenario && ` (${scenario})`}:
    ${refunded === undefined ? '' : `${refunded} in total `}${badge(
      status >= 400 ? String(status) : (outcome ?? 'done'),
      tone,
    )}
    ${message}`,
  ];
}

function renderSplit(
  split: SplitShares,
  { currency, merchantName, Amount }: Session,
): TemplateResult {
  return html`<h2>Split</h2>
    ${renderTable(
      'Who gets what',
      ['Who', 'Type', 'Sent', 'Gets'],
      [
        ...split.items.map((item) => [
          `Partner ${String(item.partner_merchant_id)}`,
          item.type_id,
          `${String(item.value)} ${item.value_type}`,
          item.share === undefined
            ? html`<span class="quiet">${item.value_type} is not known here</span>`
            : money(item.share, currency),
        ]),
        [
          html`<strong>${merchantName}</strong>`,
          '',
          `of ${money(Amount, currency)}`,
          html`<strong>${money(split.rest, currency)}</strong>`,
        ],
      ],
    )}`;
}

function renderAddressCheck(session: Session): TemplateResult | typeof nothing {
  const { AvsHouseNumber, AvsPostcode } = session.request;
  const { addressCheck } = session;
  if (AvsHouseNumber === undefined && AvsPostcode === undefined && !addressCheck) return nothing;
  return html`<h2>Address check (AVS)</h2>
    ${renderFacts([
      ['AvsHouseNumber sent', AvsHouseNumber],
      ['AvsPostcode sent', AvsPostcode],
      ['The bank’s answer', addressCheck ? badge(addressCheck) : 'not checked by this card'],
    ])}`;
}
