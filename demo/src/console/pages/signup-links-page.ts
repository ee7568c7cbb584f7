/** Makes a merchant's signup link valid again. */
import { html } from 'lit';
import type { SignupLinkView } from '../../../shared/console-view.js';
import { find } from '../../parts/find.js';
import { startActionForm } from '../parts/action-form.js';
import { renderOthers } from '../parts/field-list.js';
import { readKnownThings, suggestMerchants } from '../parts/known-things.js';

startActionForm<SignupLinkView>({
  form: find(document, '#action', HTMLFormElement),
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/signup-links',
  busy: 'Making the link valid again…',
  draw: ({ message, others }) =>
    html`<section class="answer">
      <h2 tabindex="-1" data-focus>The provider says</h2>
      <p>${message}</p>
      ${renderOthers(others)}
    </section>`,
});

void readKnownThings().then((known) => suggestMerchants('merchants', known));
