import { renderFacts, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import { renderForm } from '../forms.js';
import { time } from '../parts.js';
import { view, type Frame } from '../view.js';

type About = ReturnType<SandboxControl['describe']>;

interface Sandbox extends About {
  readonly clock: { readonly now: string; readonly offsetSeconds: number };
  readonly history: { readonly count: number };
}

const STEPS = [
  ['1 minute', 60],
  ['1 hour', 3600],
  ['1 day', 86_400],
  ['30 days', 2_592_000],
] as const;

/** The clock, the history, the addresses, and the way back to the start. */
export const sandboxView = view<Sandbox>({
  path: 'sandbox',
  nav: 'Clock and reset',
  title: () => 'Clock and reset',
  read: async (read) => {
    const [about, clock, history] = await Promise.all([
      read<About>('about'),
      read<Sandbox['clock']>('clock'),
      read<Sandbox['history']>('history'),
    ]);
    return { ...about, clock, history };
  },
  draw: (sandbox, _params, frame) =>
    html`${renderClock(sandbox.clock, frame)} ${renderHistory(sandbox.history, frame)}
      <h2>Addresses</h2>
      ${renderFacts([
        ['API', html`<code>${location.origin}</code>`],
        ['Client SDK', html`<a href=${sandbox.sdk.path}>${sandbox.sdk.path}</a>`],
        ['Integrity of the SDK', html`<code>${sandbox.sdk.integrity}</code>`],
        ['Other shapes of the SDK', html`<a href="/sdk/shapes">/sdk/shapes</a>`],
        ['Description of the API', html`<a href="/openapi.json">/openapi.json</a>`],
        ['Partners with analytics', sandbox.partners.map(({ name }) => name).join(', ')],
      ])}
      <h2>Merchants</h2>
      ${renderTable(
        'Merchants',
        ['merchant_id', 'Name', 'Currency', 'Reseller'],
        sandbox.merchants.map(({ id, name, currency, resellerId }) => [
          id,
          name,
          currency,
          resellerId,
        ]),
      )}
      ${renderReset(frame)}`,
});

function renderClock({ now, offsetSeconds }: Sandbox['clock'], frame: Frame): TemplateResult {
  const say = ({ now }: Sandbox['clock']) =>
    `The clock says ${now.slice(0, 19).replace('T', ' ')} UTC.`;
  const move = (advanceSeconds: number) =>
    frame.act({ path: 'clock', body: { advanceSeconds }, done: say });
  return html`<h2>Clock</h2>
    <p>
      ${time(now)}
      UTC${
        Math.abs(offsetSeconds) < 1
          ? ', the real time'
          : `, ${Math.round(offsetSeconds).toLocaleString('en')} seconds from the real time`
      }
    </p>
    <article>
      <div class="buttons">
        ${STEPS.map(
          ([name, seconds]) =>
            html`<button class="outline" @click=${() => move(seconds)}>+ ${name}</button>`,
        )}
        ${
          Math.abs(offsetSeconds) < 1
            ? nothing
            : html`<button class="outline" @click=${() => move(-offsetSeconds)}>
                Back to the real time
              </button>`
        }
      </div>
      ${renderForm<Sandbox['clock']>(frame, {
        buttons: { clock: 'Set' },
        fields: { now: { label: 'Set to (UTC)', isRequired: true } },
        done: say,
      })}
    </article>`;
}

function renderHistory({ count }: Sandbox['history'], frame: Frame): TemplateResult {
  return html`<h2>Past transactions</h2>
    <p>
      ${count.toLocaleString('en')} past transactions. Generating others deletes all transactions,
      new ones too.
    </p>
    ${renderForm<Sandbox['history']>(frame, {
      buttons: { history: 'Generate' },
      fields: {
        count: { label: 'How many', value: 100_000 },
        seed: { label: 'Seed', placeholder: 'unchanged' },
      },
      done: ({ count: generated }) =>
        `${generated.toLocaleString('en')} past transactions generated. All others were deleted.`,
    })}`;
}

function renderReset(frame: Frame): TemplateResult {
  const dialog = () => document.getElementById('reset') as HTMLDialogElement;
  const reset = () => {
    dialog().close();
    void frame.act({ path: 'reset', done: 'The sandbox is reset.' });
  };
  return html`<h2>Reset</h2>
    <p>
      Puts sessions, transactions, requests, webhooks, faults, switches and the clock back to how
      they were at the start.
    </p>
    <p class="buttons">
      <button class="outline contrast" @click=${() => dialog().showModal()}>
        Reset everything …
      </button>
    </p>
    <dialog id="reset" aria-labelledby="reset-title">
      <article>
        <h2 id="reset-title">Reset everything?</h2>
        <p>This cannot be undone. The file of requests is emptied, too.</p>
        <p class="buttons">
          <button @click=${reset}>Reset</button>
          <button class="outline" @click=${() => dialog().close()}>Cancel</button>
        </p>
      </article>
    </dialog>`;
}
