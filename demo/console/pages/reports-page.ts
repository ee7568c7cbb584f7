/** Changes a report schedule. */
import { html } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { ReportScheduleView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderFields } from './formatting.js';
import { readKnownThings, suggest } from './forms.js';

startActionForm<ReportScheduleView>({
  form: find(document, '#action', HTMLFormElement),
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/report-schedules',
  busy: 'Changing the schedule…',
  draw: ({ schedule }) =>
    html`<section class="answer is-wide">
      <h2 tabindex="-1" data-focus>Schedule changed</h2>
      ${renderFields(schedule)}
    </section>`,
});

void readKnownThings().then(({ reportSchedules }) =>
  suggest(
    'schedules',
    reportSchedules.map((value) => ({ value })),
  ),
);
