import type { CheckoutSession } from '../resources/checkout-sessions.js';
import { formatMoney } from '../money.js';
import { html, type Html } from './html.js';

/** Who is paid, how much and for what. */
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

/** Buttons to `CancelUrl` and `backurl` (spec 4.6), where the session has them. */
export function renderLeaveButtons(session: CheckoutSession): Html {
  const { CancelUrl, backurl } = session.request;
  return html`<div class="leave-buttons">
    ${backurl === undefined ? undefined : leaveButton('Back to the shop', backurl)}
    ${CancelUrl === undefined ? undefined : leaveButton('Cancel', CancelUrl)}
  </div>`;
}

/** A button that goes to another address. */
export function leaveButton(label: string, url: string, style: 'quiet' | 'main' = 'quiet'): Html {
  return html`<button type="button" class="${style}" data-leave="${url}" disabled>
    ${label}
  </button>`;
}
