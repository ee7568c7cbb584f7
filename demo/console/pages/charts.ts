/** Numbers as charts, each with a table that says the same, exactly. */
import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { MetricBar, MetricGroup } from '../console-view.js';
import { formatNumber, humanise } from './formatting.js';

/** A list of records as columns; named numbers as rows. */
export function renderGroup(group: MetricGroup): TemplateResult {
  const { name, isSeries, bars } = group;
  const title = humanise(name);
  const most = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), bars[0] ?? NONE);
  return html`<article class="chart">
    <h3>${title}</h3>
    <p aria-hidden="true"><b>${formatNumber(most.text)}</b> at most, ${most.label}</p>
    <div class=${isSeries ? 'chart-box' : `chart-box is-named rows-${Math.min(bars.length, 12)}`}>
      <canvas
        role="img"
        aria-label=${describe(title, bars, most)}
        ${ref((canvas) => {
          if (canvas instanceof HTMLCanvasElement) void draw(canvas, group);
        })}
      ></canvas>
    </div>
    <details>
      <summary>As a table</summary>
      ${renderTable(`${title}, as a table`, COLUMNS, bars.map(cellsOf))}
    </details>
  </article>`;
}

/** Most answers have no chart: what draws them is loaded with the first one. */
async function draw(canvas: HTMLCanvasElement, group: MetricGroup): Promise<void> {
  const { drawBars } = await import('./bar-chart.js');
  drawBars(canvas, group);
}

const NONE: MetricBar = { label: '', value: 0, text: '0' };

const COLUMNS = ['Name', { title: 'Value', isNumber: true }];
const cellsOf = ({ label, text }: MetricBar) => [label, formatNumber(text)];

function describe(title: string, bars: readonly MetricBar[], most: MetricBar): string {
  const [first, last] = [bars[0], bars.at(-1)];
  const least = bars.reduce((least, bar) => (bar.value < least.value ? bar : least), most);
  return `${title}: ${bars.length} values from ${first?.label} to ${last?.label}. Highest ${formatNumber(most.text)} (${most.label}), lowest ${formatNumber(least.text)} (${least.label}). The table below has them all.`;
}
