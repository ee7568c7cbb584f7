import { html, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { SessionSummary } from '../../src/control/session-control.js';
import { sessionLink } from '../parts.js';
import { view, type Frame } from '../view.js';

type About = ReturnType<SandboxControl['describe']>;
type Card = About['scenarios'][number];

interface Scenarios {
  readonly scenarios: readonly Card[];
  /** The newest session that can be paid. */
  readonly open: SessionSummary | undefined;
}

/** What each test card does, and a button that submits it. */
export const scenariosView = view<Scenarios>({
  path: 'scenarios',
  nav: 'Test cards',
  title: () => 'Test cards',
  read: async (read) => {
    const [{ scenarios }, { sessions }] = await Promise.all([
      read<About>('about'),
      read<{ readonly sessions: readonly SessionSummary[] }>('sessions?state=open&limit=1'),
    ]);
    return { scenarios, open: sessions.at(-1) };
  },
  draw: ({ scenarios, open }, _params, frame) =>
    html`<p>
        ${
          open
            ? html`Submit enters a card in the newest open session, ${sessionLink(open.session_id)}.`
            : html`There is no open session to pay: <a href="#/sessions">create one</a>.`
        }
        Any future expiry date, any 3 or 4 digits, any name. Never use a real card.
      </p>
      <p class="quiet">
        With the approved card, the amount (in any currency) or the postcode of its session selects
        the outcome.
      </p>
      ${groupsOf(scenarios).map(
        ([name, cards]) =>
          html`<h2>${name}</h2>
            <ul class="cards">
              ${cards.map((card) => renderCard(card, open, frame))}
            </ul>`,
      )}`,
});

function groupsOf(scenarios: readonly Card[]): [string, readonly Card[]][] {
  return Object.entries(Object.groupBy(scenarios, ({ group = 'Paid' }) => group)).map(
    ([name, cards]) => [name, cards],
  );
}

function renderCard(
  { name, title, description, cardNumber, triggers }: Card,
  open: SessionSummary | undefined,
  frame: Frame,
): TemplateResult {
  const digits = cardNumber.replace(/(\d{4})(?=\d)/g, '$1 ');
  const submit = (id: string) =>
    frame.act({
      path: `sessions/${id}/pay`,
      body: { scenario: name },
      done: ({ outcome }: { outcome: string }) => `${title}: the outcome is ${outcome}.`,
    });
  return html`<li>
    <article>
      <h3>${title}</h3>
      <p>${description}</p>
      <p class="quiet">
        <code>${digits}</code> ·
        <code>${name}</code
        >${name === 'approved' ? '' : html` · amount ${triggers.amount} · ${triggers.postcode}`}
      </p>
      <p class="buttons">
        <button class="outline" @click=${() => frame.copy(cardNumber, `${title}: copied.`)}>
          Copy<span class="unseen"> the number of ${title}</span>
        </button>
        ${
          open &&
          html`<button class="outline" @click=${() => submit(open.session_id)}>
            Submit<span class="unseen"> ${title}</span>
          </button>`
        }
      </p>
    </article>
  </li>`;
}
