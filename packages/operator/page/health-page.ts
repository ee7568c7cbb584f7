import { html } from 'lit';
import type { HealthView } from '../src/page-view.js';
import { describeDuration } from '../src/timeline-words.js';
import { count } from './formatting.js';
import { page } from './page.js';
import { renderTable, words } from './parts.js';

/** How it stands with merchants, provider and workers, in figures. */
export const healthPage = page<HealthView>({
  path: 'health',
  nav: 'Health',
  title: () => 'Health',
  read: () => 'health',
  draw: ({ isWritable, uptimeSeconds, version, merchants, backlog, ...view }) =>
    html`${
        isWritable ? '' : html`<p class="problem" role="alert">The store cannot be written to.</p>`
      }
      <h2>Server</h2>
      <dl class="figures">
        ${figure('Version', version)} ${figure('Up for', describeDuration(uptimeSeconds))}
        ${figure('Merchants', count(merchants.all))}
        ${figure('Disabled merchants', count(merchants.disabled))}
      </dl>
      <h2>Provider</h2>
      <dl class="figures">
        ${figure('Lists that are not polled, because they failed', count(backlog.pollersBackingOff), backlog.pollersBackingOff > 0)}
        ${figure('Oldest unfinished backfill', describeDuration(backlog.backfillSeconds))}
        ${figure('order_id used up', `${(backlog.orderIdShare * 100).toFixed(1)} %`, backlog.orderIdShare > 0.9)}
      </dl>
      <h2>Calls to the provider</h2>
      <p class="hint">Of this server, since it started.</p>
      ${
        view.providerCalls.length === 0
          ? html`<p class="empty">No calls so far.</p>`
          : renderTable(
              'Calls to the provider',
              ['Operation', 'Calls', 'Failed', 'Half within', '95 % within'],
              view.providerCalls.map(({ operation, calls, failed, p50, p95 }) => [
                words(operation),
                calls.toLocaleString('en'),
                failed.toLocaleString('en'),
                seconds(p50),
                seconds(p95),
              ]),
            )
      }
      <h2>Merchants</h2>
      ${
        view.busyMerchants.length === 0
          ? html`<p class="empty">Nothing waits of any merchant.</p>`
          : renderTable(
              'Merchants',
              ['Merchant', 'Attention', 'Dead letters', 'Events waiting', 'Attempts polled for'],
              view.busyMerchants.map((of) => [
                of.merchant,
                ...[of.attention, of.deadLettered, of.waitingEvents, of.watchedAttempts].map(count),
              ]),
            )
      }
      <h2>Workers</h2>
      <dl class="figures">
        ${figure('Attempts that are polled for', count(backlog.watchedAttempts))}
        ${figure('Schedule is late by', describeDuration(backlog.scheduledPollLateSeconds), backlog.scheduledPollLateSeconds > 60)}
        ${figure('Longest wait of a returned shopper', describeDuration(backlog.oldestReturnSeconds), backlog.oldestReturnSeconds > 120)}
        ${figure('Webhooks waiting', count(backlog.waitingWebhooks))}
        ${figure('Oldest waiting webhook', describeDuration(backlog.oldestWebhookSeconds), backlog.oldestWebhookSeconds > 60)}
        ${figure('Events waiting', count(backlog.waitingEvents))}
        ${figure('Oldest waiting event', describeDuration(backlog.oldestEventSeconds), backlog.oldestEventSeconds > 600)}
        ${figure('Events dead-lettered', count(backlog.deadLetteredEvents), backlog.deadLetteredEvents > 0)}
      </dl>`,
});

function seconds(value: number | undefined): string {
  return value === undefined ? 'over 30 s' : `${String(value)} s`;
}

function figure(name: string, value: string, isBad = false) {
  return html`<div class=${isBad ? 'is-bad' : ''}>
    <dt>${name}</dt>
    <dd>${value}${isBad ? html`<span class="unseen"> – check this</span>` : ''}</dd>
  </div>`;
}
