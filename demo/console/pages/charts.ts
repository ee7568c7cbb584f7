/** Numbers as pictures, each with a table that says the same. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { MetricBar, MetricGroup } from '../console-view.js';
import { formatNumber, humanise } from './formatting.js';

const HEIGHT = 100;
const STEP = 10;
const GAP = 2;

/** A list of records as columns; few named numbers as a table with bars in it. */
export function renderGroup(group: MetricGroup): TemplateResult {
  return group.isSeries ? renderSeries(group) : renderNamed(group);
}

function renderSeries({ name, bars }: MetricGroup): TemplateResult {
  const title = humanise(name);
  const [first, last] = [bars[0], bars.at(-1)];
  const most = findMost(bars);
  const least = bars.reduce((least, bar) => (bar.value < least.value ? bar : least), most);
  const words = `${title}: ${bars.length} values from ${first?.label} to ${last?.label}. Highest ${formatNumber(most.text)} (${most.label}), lowest ${formatNumber(least.text)} (${least.label}). The table below has them all.`;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <p class="chart-most" aria-hidden="true">
      <b>${formatNumber(most.text)}</b> at most, ${most.label}
    </p>
    <svg
      role="img"
      aria-label=${words}
      viewBox="0 0 ${bars.length * STEP} ${HEIGHT}"
      preserveAspectRatio="none"
    >
      ${[0, HEIGHT / 2, HEIGHT].map(
        (y) => svg`<line class="chart-rule" x1="0" x2=${bars.length * STEP} y1=${y} y2=${y} />`,
      )}
      ${bars.map((bar, index) => renderColumn(bar, index, most.value))}
    </svg>
    <p class="chart-ends" aria-hidden="true">
      <span>${first?.label}</span><span>${last?.label}</span>
    </p>
    <details>
      <summary>As a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table">
        ${renderTable(title, bars, false)}
      </div>
    </details>
  </figure>`;
}

function renderNamed({ name, bars }: MetricGroup): TemplateResult {
  return html`<figure class="chart">
    <figcaption>${humanise(name)}</figcaption>
    ${renderTable(humanise(name), bars, true)}
  </figure>`;
}

function renderTable(
  title: string,
  bars: readonly MetricBar[],
  hasPictures: boolean,
): TemplateResult {
  const most = findMost(bars).value;
  return html`<table class="bars">
    <caption class="unseen">
      ${title}
    </caption>
    <thead class=${hasPictures ? 'unseen' : ''}>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="number">Value</th>
      </tr>
    </thead>
    <tbody>
      ${bars.map(
        (bar) =>
          html`<tr>
            <th scope="row">${bar.label}${hasPictures ? renderBar(bar, most) : nothing}</th>
            <td class="number">${formatNumber(bar.text)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function renderColumn({ value, label, text }: MetricBar, index: number, most: number) {
  const height = share(value, most) * HEIGHT;
  return svg`<rect class="chart-bar" x=${index * STEP + GAP / 2} width=${STEP - GAP}
    y=${HEIGHT - height} height=${height}><title>${label}: ${formatNumber(text)}</title></rect>`;
}

function renderBar({ value }: MetricBar, most: number): TemplateResult {
  return html`<svg
    class="bar"
    viewBox="0 0 100 4"
    preserveAspectRatio="none"
    aria-hidden="true"
    focusable="false"
  >
    <rect class="chart-ground" width="100" height="4" />
    <rect class="chart-bar" width=${share(value, most) * 100} height="4" />
  </svg>`;
}

/** A number below nothing has no length; its text says it. */
function share(value: number, most: number): number {
  return most > 0 ? Math.max(value, 0) / most : 0;
}

function findMost(bars: readonly MetricBar[]): MetricBar {
  const none: MetricBar = { label: '', value: 0, text: '0' };
  return bars.reduce((most, bar) => (bar.value > most.value ? bar : most), bars[0] ?? none);
}
