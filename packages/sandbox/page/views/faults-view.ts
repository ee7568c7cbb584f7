import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { FaultKind } from '../../src/faults/faults.js';
import { readForm, renderTable } from '../parts.js';
import { view, type Frame, type Params } from '../view.js';

type About = ReturnType<SandboxControl['describe']>;
type Faults = ReturnType<SandboxControl['faults']> & Pick<About, 'faults'>;

const WHAT: Readonly<Record<FaultKind, string>> = {
  error: 'an error status; nothing is done',
  html: 'a web page of a gateway; nothing is done',
  redirect: 'a redirect; nothing is done',
  'drop-before-work': 'the connection is cut; nothing is done',
  'drop-after-commit': 'it is done, and the connection is cut',
  hold: 'it is done, and the answer waits',
  'no-content': 'it is done, and the answer is 204',
  'truncated-body': 'half of the answer, then a cut',
  'stalled-body': 'half of the answer, and the rest waits',
  'slow-body': 'the answer in 16 pieces',
  gzip: 'a packed answer that no one asked for',
  'unknown-field': 'further properties in every object',
  'unknown-enum': 'new values in every state and method',
  'wrong-type': 'numbers and booleans as strings',
  'repeated-cursor': 'nextCursor is the cursor that was sent',
  'empty-cursor': 'nextCursor is empty',
  'missing-cursor': 'no nextCursor, although hasMore',
  'empty-page': 'no rows, although hasMore',
  'huge-amount': 'more digits than a double holds',
  'success-false': 'success is false',
};

/** What goes wrong with the next calls. */
export const faultsView = view<Faults>({
  path: 'faults',
  nav: 'Faults',
  title: () => 'Faults',
  read: async (read) => {
    const [now, { faults }] = await Promise.all([read<Faults>('faults'), read<About>('about')]);
    return { ...now, faults };
  },
  draw: ({ queued, held, faults }, params, frame) =>
    html`<p>
        A fault hits the next valid call of its operation. One with a wrong key or body uses none
        up.
      </p>
      ${renderForm(faults, params, frame)}
      <h2>Queued</h2>
      ${
        queued.length === 0
          ? html`<p class="empty">No fault is queued.</p>`
          : renderTable(
              'Queued faults',
              ['Operation', 'Fault', 'Calls left', 'Details'],
              queued.map(({ operation, fault, times, ...details }) => [
                operation,
                html`<strong>${fault}</strong> <span class="hint">${WHAT[fault]}</span>`,
                times,
                Object.entries(details)
                  .map(([name, value]) => `${name} ${String(value)}`)
                  .join(', ') || undefined,
              ]),
            )
      }
      ${held > 0 ? html`<p>${held} ${held === 1 ? 'call waits' : 'calls wait'} for the answer.</p>` : nothing}
      ${
        queued.length + held === 0
          ? nothing
          : html`<p class="buttons">
              <button
                class="button quiet"
                @click=${() =>
                  frame.act({
                    path: 'faults',
                    method: 'DELETE',
                    done: 'The faults are cleared, and held calls are answered.',
                  })}
              >
                Clear, and answer held calls
              </button>
            </p>`
      }`,
});

function renderForm(faults: Faults['faults'], params: Params, frame: Frame): TemplateResult {
  const { operation = 'create-session', fault: asked } = params;
  const kinds = (faults[operation] ?? []) as readonly FaultKind[];
  const fault = kinds.find((kind) => kind === asked) ?? kinds[0] ?? 'error';
  const choose = (name: string) => (event: Event) =>
    frame.filter({ operation, fault, [name]: (event.target as HTMLSelectElement).value });
  const queue = (event: SubmitEvent) => {
    const { operation, fault, ...numbers } = readForm(event);
    const body = Object.fromEntries(
      Object.entries(numbers).map(([name, text]) => [name, Number(text)]),
    );
    void frame.act({
      path: 'faults',
      body: { operation, fault, ...body },
      done: `Queued: ${String(fault)} for ${String(operation)}.`,
    });
  };
  const number = (name: string, label: string, placeholder: string, min: number) =>
    html`<label
      >${label}
      <input name=${name} type="number" min=${min} max="100000" placeholder=${placeholder}
    /></label>`;
  return html`<form class="acts inline" @submit=${queue}>
    <label
      >Operation
      <select name="operation" .value=${operation} @change=${choose('operation')}>
        ${Object.keys(faults).map((name) => html`<option ?selected=${name === operation}>${name}</option>`)}
      </select></label
    >
    <label
      >Fault
      <select name="fault" .value=${fault} @change=${choose('fault')}>
        ${kinds.map((kind) => html`<option ?selected=${kind === fault}>${kind}</option>`)}
      </select></label
    >
    ${number('times', 'Calls', '1', 1)}
    ${
      fault === 'error'
        ? html`${number('status', 'Status', '500', 400)}
          ${number('retryAfterSeconds', 'Retry-After', 'none', 0)}`
        : nothing
    }
    ${fault === 'slow-body' ? number('seconds', 'Seconds', '2', 0) : nothing}
    <button class="button">Queue</button>
    <p class="hint">${fault}: ${WHAT[fault]}.</p>
  </form>`;
}
