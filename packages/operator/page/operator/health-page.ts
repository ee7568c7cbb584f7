import { renderFacts } from '@pay-checkout/page-kit/parts';
import { html, type TemplateResult } from 'lit';
import type { HealthView } from '../../src/page-view.js';
import { describeDuration } from '../../src/timeline-words.js';
import { count } from '../frame/formatting.js';
import { page } from '../frame/page.js';
import { renderSection, words } from '../frame/parts.js';

/** Figures of server, provider, merchants and workers. */
export const healthPage = page<HealthView>({
  path: 'health',
  nav: 'Health',
  title: () => 'Health',
  read: () => 'health',
  draw: ({ isWritable, servers, merchants, backlog, ...view }) =>
    html`${
      isWritable
        ? ''
        : html`<article class="is-bad" role="alert">The store cannot be written to.</article>`
    }
    ${renderServers(servers)}
    ${renderFigures('Merchants', [
      ['All', count(merchants.all)],
      ['Disabled', count(merchants.disabled)],
    ])}
    ${renderFigures('Provider', [
      [
        'Lists that are not polled, because they failed',
        count(backlog.pollersBackingOff),
        backlog.pollersBackingOff > 0,
      ],
      ['Oldest unfinished backfill', describeDuration(backlog.backfillSeconds)],
      [
        'order_id used up',
        `${(backlog.orderIdShare * 100).toFixed(1)} %`,
        backlog.orderIdShare > 0.9,
      ],
    ])}
    ${renderSection(
      'Calls to the provider by this server, since it started',
      ['Operation', 'Calls', 'Failed', 'Half within', '95 % within'],
      view.providerCalls.map(({ operation, calls, failed, p50, p95 }) => [
        words(operation),
        calls.toLocaleString('en'),
        failed.toLocaleString('en'),
        seconds(p50),
        seconds(p95),
      ]),
      'No calls so far.',
    )}
    ${renderSection(
      'Merchants with the most that waits',
      ['Merchant', 'Attention', 'Dead letters', 'Events waiting', 'Attempts polled for'],
      view.busyMerchants.map((of) => [
        of.merchant,
        ...[of.attention, of.deadLettered, of.waitingEvents, of.watchedAttempts].map(count),
      ]),
      'All queues are empty.',
    )}
    ${renderFigures('Workers', [
      ['Attempts that are polled for', count(backlog.watchedAttempts)],
      lateFigure('Schedule is late by', backlog.scheduledPollLateSeconds, 60),
      lateFigure('Longest wait of a returned shopper', backlog.oldestReturnSeconds, 120),
      ['Webhooks waiting', count(backlog.waitingWebhooks)],
      lateFigure('Oldest waiting webhook', backlog.oldestWebhookSeconds, 60),
      ['Events waiting', count(backlog.waitingEvents)],
      lateFigure('Oldest waiting event', backlog.oldestEventSeconds, 600),
      ['Events dead-lettered', count(backlog.deadLetteredEvents), backlog.deadLetteredEvents > 0],
    ])}`,
});

function renderServers(servers: HealthView['servers']): TemplateResult {
  const now = servers[0]?.seenAt ?? 0;
  return renderSection(
    'Servers',
    ['Server', 'Version', 'Up for', 'Seen', 'Clock ahead', 'Key', 'Lists that failed', 'Merchants'],
    servers.map((server, index) => [
      html`${server.name} ${index === 0 ? html`<small>answered this page</small>` : ''}`,
      server.version,
      describeDuration((server.seenAt - server.startedAt) / 1000),
      index === 0 ? 'now' : `${describeDuration(Math.max(0, now - server.seenAt) / 1000)} ago`,
      server.clockAheadMs === undefined ? '–' : tenths(server.clockAheadMs),
      server.encryptionKey,
      count(server.listsBackingOff),
      count(server.merchants),
    ]),
    'None.',
  );
}

/** Not `-0.0`, for a clock that is behind by less. */
function tenths(ms: number): string {
  return `${(Math.round(ms / 100) / 10 || 0).toFixed(1)} s`;
}

function seconds(value: number | undefined): string {
  return value === undefined ? 'over 30 s' : `${String(value)} s`;
}

type Figure = readonly [name: string, value: string, isBad?: boolean];

function lateFigure(name: string, lateSeconds: number, maxSeconds: number): Figure {
  return [name, describeDuration(lateSeconds), lateSeconds > maxSeconds];
}

function renderFigures(title: string, figures: readonly Figure[]): TemplateResult {
  return html`<h2>${title}</h2>
    ${renderFacts(
      figures.map(([name, value, isBad = false]) => [
        name,
        isBad ? html`<mark>${value}: check this</mark>` : value,
      ]),
    )}`;
}
