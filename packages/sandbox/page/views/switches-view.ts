import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { DescribedSwitch } from '../../src/switches.js';
import type { Schema } from '../api.js';
import { parseText, readText, renderControl } from '../forms.js';
import { badge } from '../parts.js';
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

function renderEditor(
  { name, value, default: preset, schema: json }: DescribedSwitch,
  frame: Frame,
): TemplateResult {
  const schema = json as Schema;
  const isSecret = schema.writeOnly === true;
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
  const isChanged = JSON.stringify(value) !== JSON.stringify(preset);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    void set(parseText(schema, readText(event, 'value')));
  };
  return html`<form class="inline" @submit=${save}>
    ${renderControl('value', schema, {
      label: name,
      value: isSecret ? '' : show(value),
      ...(isSecret && { placeholder: show(value) }),
      isRequired: true,
      onChange: (word) => void set(word),
    })}
    ${
      schema.enum
        ? nothing
        : html`<button class="outline">Set<span class="unseen"> ${name}</span></button>`
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
