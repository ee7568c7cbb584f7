/** Acts on a merchant's signup link. */
import { html } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { SignupLinkView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderOthers } from './formatting.js';
import { readKnownThings, suggestMerchants } from './forms.js';
import { renderOutcome } from './states.js';

const form = find(document, '#link', HTMLFormElement);
find(form, '#action', HTMLInputElement).value = 'reactivate';

startActionForm<SignupLinkView>({
  form,
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/signup-links',
  busy: 'Sending the action…',
  draw: ({ message, others }) =>
    renderOutcome(
      'good',
      'The provider says',
      html`<p>${message}</p>
        ${renderOthers(others)}`,
    ),
});

void readKnownThings().then((known) => suggestMerchants('merchants', known));
