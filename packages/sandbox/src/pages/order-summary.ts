import type { CheckoutSession } from '../checkout-session.js';
import { formatMoney } from '../money.js';
import { html, type Html } from './html.js';

/** Who is paid, how much, and for what. */
export function renderSummary(session: CheckoutSession): Html {
  const { merchant, request } = session;
  return html`<dl class="summary">
    <div>
      <dt>Pay to</dt>
      <dd>${merchant.name}</dd>
    </div>
    <div>
      <dt>Reference</dt>
      <dd>${request.MerchantReference ?? request.order_id}</dd>
    </div>
    <div class="total">
      <dt>Amount</dt>
      <dd>${formatMoney(request.Amount, merchant.currency)}</dd>
    </div>
  </dl>`;
}

/** The ways out: to `CancelUrl` and to `backurl` of spec 4.6, where the session has them. */
export function renderWaysOut(session: CheckoutSession): Html {
  const { CancelUrl, backurl } = session.request;
  return html`<div class="ways-out">
    ${backurl === undefined ? undefined : leaveButton('Back to the shop', backurl)}
    ${CancelUrl === undefined ? undefined : leaveButton('Cancel', CancelUrl)}
  </div>`;
}

/** A button that leaves for an address. */
export function leaveButton(label: string, url: string, look: 'quiet' | 'main' = 'quiet'): Html {
  return html`<button type="button" class="${look}" data-leave="${url}" disabled>${label}</button>`;
}
