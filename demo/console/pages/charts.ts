/** Numbers as charts, each with a table that says the same, exactly. */
import { html, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { MetricBar, MetricGroup } from '../console-view.js';
import { drawBars } from './bar-chart.js';
import { formatNumber, humanise } from './formatting.js';

/** A list of records as columns; named numbers as rows. */
export function renderGroup(group: MetricGroup): TemplateResult {
  const { name, isSeries, bars } = group;
  const title = humanise(name);
  const most = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), bars[0] ?? NONE);
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <p class="chart-most" aria-hidden="true">
      <b>${formatNumber(most.text)}</b> at most, ${most.label}
    </p>
    <div class=${isSeries ? 'chart-box' : `chart-box is-named rows-${Math.min(bars.length, 12)}`}>
      <canvas
        role="img"
        aria-label=${describe(title, bars, most)}
        ${ref((canvas) => {
          if (canvas instanceof HTMLCanvasElement) drawBars(canvas, group);
        })}
      ></canvas>
    </div>
    <details>
      <summary>As a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table">
        ${renderTable(title, bars)}
      </div>
    </details>
  </figure>`;
}

const NONE: MetricBar = { label: '', value: 0, text: '0' };

function describe(title: string, bars: readonly MetricBar[], most: MetricBar): string {
  const [first, last] = [bars[0], bars.at(-1)];
  const least = bars.reduce((least, bar) => (bar.value < least.value ? bar : least), most);
  return `${title}: ${bars.length} values from ${first?.label} to ${last?.label}. Highest ${formatNumber(most.text)} (${most.label}), lowest ${formatNumber(least.text)} (${least.label}). The table below has them all.`;
}

function renderTable(title: string, bars: readonly MetricBar[]): TemplateResult {
  return html`<table class="bars">
    <caption class="unseen">
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="number">Value</th>
      </tr>
    </thead>
    <tbody>
      ${bars.map(
        ({ label, text }) =>
          html`<tr>
            <th scope="row">${label}</th>
            <td class="number">${formatNumber(text)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
