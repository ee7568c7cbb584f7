import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { FaultKind, FaultTarget } from '../../src/faults/fault-table.js';
import { readForm, renderTable } from '../parts.js';
import { view, type Frame, type Params } from '../view.js';

type About = ReturnType<SandboxControl['describe']>;
type Faults = ReturnType<SandboxControl['faults']> & Pick<About, 'faults' | 'faultKinds'>;

/** What goes wrong with the next calls. */
export const faultsView = view<Faults>({
  path: 'faults',
  nav: 'Faults',
  title: () => 'Faults',
  read: async (read) => {
    const [now, { faults, faultKinds }] = await Promise.all([
      read<Faults>('faults'),
      read<About>('about'),
    ]);
    return { ...now, faults, faultKinds };
  },
  draw: ({ queued, held, ...table }, params, frame) =>
    html`<p>
        A fault affects the next valid call of an operation, request of the shopper’s browser, or
        try of a webhook.
      </p>
      ${renderForm(table, params, frame)}
      <h2>Queued</h2>
      ${
        queued.length === 0
          ? html`<p class="quiet">No fault is queued.</p>`
          : renderTable(
              'Queued faults',
              ['Target', 'Fault', 'Times left', 'Details'],
              queued.map(({ operation, fault, times, ...details }) => [
                operation,
                html`<strong>${fault}</strong> <span class="quiet">${whatOf(table, fault)}</span>`,
                times,
                Object.entries(details)
                  .map(([name, value]) => `${name} ${String(value)}`)
                  .join(', ') || undefined,
              ]),
            )
      }
      ${held > 0 ? html`<p>${held} ${held === 1 ? 'call is' : 'calls are'} held without an answer.</p>` : nothing}
      ${
        queued.length + held === 0
          ? nothing
          : html`<p class="buttons">
              <button
                class="outline"
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

type Table = Pick<Faults, 'faults' | 'faultKinds'>;

/** In the documents, names of fields are code. */
function whatOf({ faultKinds }: Table, kind: FaultKind): string {
  return faultKinds[kind].replaceAll('`', '');
}

function renderForm(table: Table, params: Params, frame: Frame): TemplateResult {
  const { operation: wanted, fault: asked } = params;
  const targets = Object.keys(table.faults) as FaultTarget[];
  const operation = targets.find((name) => name === wanted) ?? 'create-session';
  const kinds = table.faults[operation];
  const fault = kinds.find((kind) => kind === asked) ?? kinds[0] ?? 'wait';
  const choose = (name: string) => (event: Event) =>
    frame.filter({ operation, fault, [name]: (event.target as HTMLSelectElement).value });
  const queue = (event: SubmitEvent) => {
    const { operation, fault, location, latencyFrom, latencyTo, ...numbers } = readForm(event);
    const least = latencyFrom ?? latencyTo;
    void frame.act({
      path: 'faults',
      body: {
        operation,
        fault,
        location,
        ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])),
        ...(least !== undefined && {
          latencySeconds: [Number(least), Number(latencyTo ?? least)],
        }),
      },
      done: `Queued: ${String(fault)} for ${String(operation)}.`,
    });
  };
  return html`<form class="inline" @submit=${queue}>
    ${choice('operation', 'Target', targets, operation, choose)}
    ${choice('fault', 'Fault', kinds, fault, choose)} ${number('times', 'Times', '1', 1)}
    ${number('probability', 'Probability', '1', 0, 1)}
    ${number('latencyFrom', 'Delay in seconds, from', fault === 'wait' ? '2' : '0', 0)}
    ${number('latencyTo', 'to', 'the same', 0)}
    ${
      fault === 'error'
        ? html`${number('status', 'Status', '500', 400, 599)}
          ${number('retryAfterSeconds', 'Retry-After', 'none', 0)}`
        : nothing
    }
    ${fault === 'html' ? number('status', 'Status', '502', 200, 599) : nothing}
    ${
      fault === 'redirect'
        ? html`<label>Location <input name="location" type="url" placeholder="https://…" /></label>`
        : nothing
    }
    ${fault === 'slow-body' ? number('seconds', 'Seconds', '2', 0) : nothing}
    <button>Queue</button>
    <p class="quiet">${fault}: ${whatOf(table, fault)}.</p>
  </form>`;
}

function choice(
  name: string,
  label: string,
  words: readonly string[],
  chosen: string,
  choose: (name: string) => (event: Event) => void,
): TemplateResult {
  return html`<label
    >${label}
    <select name=${name} .value=${chosen} @change=${choose(name)}>
      ${words.map((word) => html`<option ?selected=${word === chosen}>${word}</option>`)}
    </select></label
  >`;
}

/** An optional field. `preset`: its default. */
function number(
  name: string,
  label: string,
  preset: string,
  min: number,
  max = 100_000,
): TemplateResult {
  const isWhole = name === 'times' || name === 'status' || name === 'retryAfterSeconds';
  return html`<label
    >${label}
    <input
      name=${name}
      type="number"
      min=${min}
      max=${max}
      step=${isWhole ? 1 : 'any'}
      placeholder=${preset}
  /></label>`;
}
