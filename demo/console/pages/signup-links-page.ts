/** Makes a merchant's signup link valid again. */
import { html } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { SignupLinkView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderOthers } from './formatting.js';
import { readKnownThings, suggestMerchants } from './forms.js';

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
