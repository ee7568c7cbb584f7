import { html } from 'lit';
import type { AuditView, PageOf } from '../../src/page-view.js';
import { describeTarget } from '../../src/timeline-words.js';
import { time } from '../frame/formatting.js';
import { page } from '../frame/page.js';
import { orderLink, renderMore, renderTable } from '../frame/parts.js';

const ACTIONS: Readonly<Record<AuditView['action'], string>> = {
  poll: 'Poll',
  redeliver: 'Redeliver',
  resolve: 'Resolve',
  void: 'Make void',
  rotate: 'Rotate',
  retire: 'Retire',
};

/** What operators did, newest first. */
export const auditPage = page<PageOf<AuditView>>({
  path: 'audit',
  nav: 'Audit trail',
  title: () => 'Audit trail',
  read: ({ cursor }) =>
    `audit${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`,
  draw: ({ items, next }, { cursor }) =>
    items.length === 0
      ? html`<p>No actions yet.</p>`
      : html`${renderTable(
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
        )}
        ${renderMore('audit', cursor, next)}`,
});
