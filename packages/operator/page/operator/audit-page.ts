import { linkTo, type Params, queryOf } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { Action, AuditView, PageOf } from '../../src/page-view.js';
import { describeTarget } from '../../src/timeline-words.js';
import { fieldsOf, renderDownload, startOfDay } from '../frame/filter.js';
import { time } from '../frame/formatting.js';
import { page, type PageActions } from '../frame/page.js';
import { orderLink, renderMore } from '../frame/parts.js';

const ACTIONS: Readonly<Record<Action, string>> = {
  poll: 'Poll',
  redeliver: 'Redeliver',
  resolve: 'Resolve',
  void: 'Make void',
  note: 'Note',
  rotate: 'Rotate',
  retire: 'Retire',
};

/** What operators did, newest first. */
export const auditPage = page<PageOf<AuditView>>({
  path: 'audit',
  nav: 'Audit trail',
  title: () => 'Audit trail',
  read: (params) => addressOf('audit', params),
  draw: ({ items, next }, params, actions) =>
    html`${renderForm(params, actions)}
    ${
      items.length === 0
        ? html`<p>${addressOf('', params) ? 'Nothing matches.' : 'No actions yet.'}</p>`
        : renderTable(
            'What was done',
            ['When', 'Who', 'What', 'Order', 'Note'],
            items.map(({ merchant, order, note, ...done }) => [
              time(done.at),
              html`<code>${done.actor}</code>`,
              html`${ACTIONS[done.action]}${
                done.target ? html`: <code>${describeTarget(done)}</code>` : ''
              }`,
              merchant && order ? orderLink(merchant, order) : (merchant ?? '–'),
              note ?? '–',
            ]),
          )
    }
    ${renderMore('audit', params, next)}`,
});

function addressOf(path: string, { actor, action, merchant, from, to, cursor }: Params): string {
  const days = { from: startOfDay(from, true), to: startOfDay(to, true, 1) };
  return path + queryOf({ actor, action, merchant, ...days, cursor });
}

function renderForm(params: Params, actions: PageActions): TemplateResult {
  const { actor = '', action = '', merchant = '', from = '', to = '' } = params;
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    location.hash = linkTo('audit', fieldsOf(event.target as HTMLFormElement));
  };
  return html`<form @submit=${show}>
    <fieldset class="grid">
      <label>Who <input name="actor" placeholder="all" autocomplete="off" .value=${actor} /></label>
      <label>
        What
        <select name="action" .value=${action}>
          <option value="">all</option>
          ${Object.entries(ACTIONS).map(
            ([value, words]) =>
              html`<option value=${value} ?selected=${value === action}>${words}</option>`,
          )}
        </select>
      </label>
      <label>
        Merchant <input name="merchant" placeholder="all" autocomplete="off" .value=${merchant} />
      </label>
      <label>From (UTC) <input name="from" type="date" .value=${from} /></label>
      <label>To (UTC) <input name="to" type="date" .value=${to} /></label>
    </fieldset>
    <button>Show</button>
    ${
      actions.may('admin')
        ? renderDownload('audit.csv', (fields) => addressOf('audit.csv', fields))
        : nothing
    }
  </form>`;
}
