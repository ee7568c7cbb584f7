/** Changes a report schedule, and shows what has become of it. */
import { html, nothing, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { ProviderFields, ReportScheduleView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderFields } from './formatting.js';
import { readKnownThings, suggest } from './forms.js';
import { renderOutcome } from './states.js';

startActionForm<ReportScheduleView>({
  form: find(document, '#action', HTMLFormElement),
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/report-schedules',
  busy: 'Changing the schedule…',
  draw: ({ schedule }) =>
    renderOutcome(
      'good',
      'Schedule changed',
      html`${renderSummary(schedule)}
        <details>
          <summary>All fields</summary>
          ${renderFields(schedule)}
        </details>`,
    ),
});

void readKnownThings().then(({ reportSchedules }) =>
  suggest(
    'schedules',
    reportSchedules.map((value) => ({ value })),
  ),
);

/** What a person asks first; the rest is among all fields. */
const FACTS = [
  ['report_type', 'Report'],
  ['merchant_name', 'Merchant'],
  ['status', 'Status'],
  ['schedule_type', 'How often'],
  ['next_run_at', 'Next run'],
  ['last_run_at', 'Last run'],
  ['last_run_status', 'Last run was'],
  ['notification_email', 'Notifies'],
] as const;

function renderSummary(schedule: ProviderFields): TemplateResult {
  const { download_url: file = '', error_message: error = '' } = schedule;
  const facts = FACTS.filter(([name]) => schedule[name] !== undefined && schedule[name] !== '');
  return html`${renderFields(Object.fromEntries(facts.map(([name, title]) => [title, schedule[name] ?? ''])))}
  ${error === '' ? nothing : html`<p class="is-bad">The provider reports: ${error}</p>`}
  ${
    /^https?:/.test(file)
      ? html`<p><a href=${file} rel="noopener">Download the report</a></p>`
      : nothing
  }`;
}
