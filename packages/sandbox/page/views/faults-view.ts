import type { Params } from '@pay-checkout/page-kit/address';
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxControl } from '../../src/control/sandbox-control.js';
import type { FaultKind, FaultTarget } from '../../src/faults/fault-table.js';
import { renderForm } from '../forms.js';
import { view, type Frame } from '../view.js';

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
      ${renderQueue(table, params, frame)}
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

/** What a fault has besides, with what happens without it. */
const DETAILS: Partial<
  Record<FaultKind, Readonly<Record<string, [label: string, preset: string]>>>
> = {
  error: { status: ['Status', '500'], retryAfterSeconds: ['Retry-After', 'none'] },
  html: { status: ['Status', '502'] },
  redirect: { location: ['Location', 'https://…'] },
  'slow-body': { seconds: ['Seconds', '2'] },
};

function renderQueue(table: Table, params: Params, frame: Frame): TemplateResult {
  const { operation: wanted, fault: asked } = params;
  const targets = Object.keys(table.faults) as FaultTarget[];
  const operation = targets.find((name) => name === wanted) ?? 'create-session';
  const kinds = table.faults[operation];
  const fault = kinds.find((kind) => kind === asked) ?? kinds[0] ?? 'wait';
  const choose = (chosen: Params) => frame.filter({ operation, fault, ...chosen });
  const details = Object.entries(DETAILS[fault] ?? {});
  return renderForm(frame, {
    buttons: { faults: 'Queue' },
    fields: {
      operation: {
        label: 'Target',
        value: operation,
        onChange: (chosen) => choose({ operation: chosen }),
      },
      fault: {
        label: 'Fault',
        value: fault,
        options: kinds.map((kind) => [kind, kind]),
        onChange: (chosen) => choose({ fault: chosen }),
      },
      times: { label: 'Times', placeholder: '1' },
      probability: { label: 'Probability', placeholder: '1' },
      'latencySeconds.0': {
        label: 'Delay in seconds, from',
        placeholder: fault === 'wait' ? '2' : '0',
      },
      'latencySeconds.1': { label: 'to', placeholder: 'the same' },
      ...Object.fromEntries(
        details.map(([name, [label, placeholder]]) => [name, { label, placeholder }]),
      ),
    },
    toBody({ 'latencySeconds.0': from, 'latencySeconds.1': to, ...body }) {
      const least = from ?? to;
      return least === undefined ? body : { ...body, latencySeconds: [least, to ?? least] };
    },
    done: (_answer, { body }) =>
      `Queued: ${String(body['fault'])} for ${String(body['operation'])}.`,
    note: html`<p class="quiet">${fault}: ${whatOf(table, fault)}.</p>`,
  });
}
