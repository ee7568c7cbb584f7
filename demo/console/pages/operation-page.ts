/** The page of an operation whose form and answer need nothing of their own: its form says which. */
import { find } from '../../shared/pages/find.js';
import type { AnswerView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderAnswer } from './answer.js';
import { suggestKnownThings } from './forms.js';
import { renderOutcome } from './states.js';

const form = find(document, 'form[data-operation]', HTMLFormElement);
const { operation = '', busy = '', done = '', first } = form.dataset;

startActionForm<AnswerView>({
  form,
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: `/api/operations/${operation}`,
  busy,
  draw: (answer) =>
    renderOutcome(
      'good',
      done,
      renderAnswer(answer, first === undefined ? {} : { first: first.split(' ') }),
    ),
});

void suggestKnownThings();
