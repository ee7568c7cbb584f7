import type { CheckoutSession } from '../resources/session-store.js';
import { formatMoney } from '../money.js';
import type { PageTexts } from './page-texts.js';
import { html, type Html } from './html.js';

/** Who is paid, how much and for what. */
export function renderSummary(session: CheckoutSession, texts: PageTexts): Html {
  const { merchant, request } = session;
  return html`<dl class="summary">
    <div>
      <dt>${texts.payTo}</dt>
      <dd dir="auto">${merchant.name}</dd>
    </div>
    <div>
      <dt>${texts.reference}</dt>
      <dd>${request.MerchantReference ?? request.order_id}</dd>
    </div>
    <div class="total">
      <dt>${texts.amount}</dt>
      <dd>${formatMoney(request.Amount, merchant.currency)}</dd>
    </div>
  </dl>`;
}

/** Buttons to `CancelUrl` and `backurl` (spec 4.6), where the session has them. */
export function renderLeaveButtons(session: CheckoutSession, texts: PageTexts): Html {
  const { CancelUrl, backurl } = session.request;
  return html`<div class="leave-buttons">
    ${backurl === undefined ? undefined : leaveButton(texts.back, backurl)}
    ${
      CancelUrl === undefined
        ? undefined
        : leaveButton(texts.cancel, CancelUrl, {
            reportUrl: `/pages/sessions/${session.id}/cancel`,
          })
    }
  </div>`;
}

/** A button that goes to another address. `reportUrl`: what the sandbox is sent before. */
export function leaveButton(
  label: string,
  url: string,
  { style = 'quiet', reportUrl }: { style?: 'quiet' | 'main'; reportUrl?: string } = {},
): Html {
  return html`<button
    type="button"
    class="${style}"
    data-leave="${url}"
    ${reportUrl === undefined ? undefined : html`data-report="${reportUrl}"`}
    disabled
  >
    ${label}
  </button>`;
}
