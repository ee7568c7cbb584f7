/** Changes a report schedule. */
import { html } from 'lit';
import type { ReportScheduleView } from '../../../shared/console-view.js';
import { find } from '../../parts/find.js';
import { startActionForm } from '../parts/action-form.js';
import { renderFields } from '../parts/field-list.js';
import { readKnownThings, suggest } from '../parts/known-things.js';

startActionForm<ReportScheduleView>({
  form: find(document, '#action', HTMLFormElement),
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/report-schedules',
  busy: 'Changing the schedule…',
  draw: ({ schedule }) =>
    html`<section class="answer is-wide">
      <h2 tabindex="-1" data-focus>The schedule is changed</h2>
      ${renderFields(schedule)}
    </section>`,
});

void readKnownThings().then(({ reportSchedules }) =>
  suggest(
    'schedules',
    reportSchedules.map((value) => ({ value })),
  ),
);
