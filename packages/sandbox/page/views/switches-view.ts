import { html, nothing, type TemplateResult } from 'lit';
import type { DescribedSwitch } from '../../src/switches.js';
import { badge, readForm, renderTable } from '../parts.js';
import { view, type Frame } from '../view.js';

interface Switches {
  readonly switches: readonly DescribedSwitch[];
}

/** What the specification does not show: what the sandbox assumes, and another choice. */
export const switchesView = view<Switches>({
  path: 'switches',
  nav: 'Switches',
  title: () => 'Switches',
  read: (read) => read('switches'),
  draw: ({ switches }, _params, frame) =>
    html`<p>
        What the provider’s specification leaves open, and what this sandbox does. A change takes
        effect at once, and lasts until the sandbox is reset or stops.
      </p>
      ${renderTable(
        'Switches',
        ['Switch', 'Section', 'What is not shown', 'Default', 'Now'],
        switches.map((each) => [
          html`<code>${each.name}</code> <span class="quiet">${each.environment}</span>`,
          each.section,
          renderWords(each.what),
          html`<code>${show(each.default)}</code>`,
          renderEditor(each, frame),
        ]),
      )}`,
});

/** Text with names in backticks. */
function renderWords(text: string): TemplateResult {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A word stays a word; everything else is JSON. */
function parse(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function renderEditor(
  { name, value, default: preset, schema }: DescribedSwitch,
  frame: Frame,
): TemplateResult {
  const isSecret = schema['writeOnly'] === true;
  const set = (next: unknown) =>
    frame.act({
      path: 'switches',
      method: 'PATCH',
      body: { [name]: next },
      done:
        next === null
          ? `${name} has its default again.`
          : `${name} is now ${isSecret ? 'set' : show(next)}.`,
    });
  const words = schema['enum'] as readonly string[] | undefined;
  const isChanged = JSON.stringify(value) !== JSON.stringify(preset);
  const save = (event: SubmitEvent) => set(parse(readForm(event)['value'] ?? '', schema['type']));
  return html`<form class="inline" @submit=${save}>
    ${
      words
        ? html`<select
            name="value"
            aria-label=${name}
            .value=${show(value)}
            @change=${(event: Event) => set((event.target as HTMLSelectElement).value)}
          >
            ${words.map((word) => html`<option ?selected=${word === value}>${word}</option>`)}
          </select>`
        : html`<input
              name="value"
              aria-label=${name}
              .value=${isSecret ? '' : show(value)}
              placeholder=${isSecret ? show(value) : nothing}
              spellcheck="false"
            />
            <button class="outline">Set<span class="unseen"> ${name}</span></button>`
    }
    ${
      isChanged
        ? html`${badge('changed', 'is-wait')}
            <button type="button" class="outline" @click=${() => set(null)}>
              Undo<span class="unseen"> ${name}</span>
            </button>`
        : nothing
    }
  </form>`;
}
