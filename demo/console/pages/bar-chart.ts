/** Bars on a canvas in the colours of the page, by day and by night. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  Tooltip,
  type ChartOptions,
} from 'chart.js';
import type { MetricGroup } from '../console-view.js';
import { formatNumber } from './formatting.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const WIDEST_BAR_PX = 32;

/** What has been drawn; canvases that the page has left are forgotten when the theme changes. */
const drawn = new Map<HTMLCanvasElement, MetricGroup>();

/** Draws the group; a canvas that has it already stays as it is. */
export function drawBars(canvas: HTMLCanvasElement, group: MetricGroup): void {
  if (drawn.get(canvas) === group) return;
  drawn.set(canvas, group);
  draw(canvas, group);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const [canvas, group] of drawn) {
    if (canvas.isConnected) draw(canvas, group);
    else drawn.delete(canvas);
  }
});

function draw(canvas: HTMLCanvasElement, group: MetricGroup): void {
  const { bars } = group;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  Chart.defaults.font.family = style.fontFamily;
  Chart.getChart(canvas)?.destroy();
  new Chart(canvas, {
    type: 'bar',
    data: {
      labels: bars.map(({ label }) => label),
      datasets: [
        {
          data: bars.map(({ value }) => value),
          maxBarThickness: WIDEST_BAR_PX,
          backgroundColor: colour('--pico-primary'),
          hoverBackgroundColor: colour('--pico-primary-hover'),
        },
      ],
    },
    options: optionsOf(group, colour),
  });
}

function optionsOf(
  { isSeries, bars }: MetricGroup,
  colour: (name: string) => string,
): ChartOptions<'bar'> {
  const ground = colour('--pico-background-color');
  const color = colour('--pico-muted-color');
  const names = {
    grid: { display: false },
    border: { color: colour('--pico-muted-border-color') },
    ticks: {
      color,
      autoSkip: isSeries,
      maxRotation: 0,
      callback: (_value: unknown, index: number) => shorten(bars[index]?.label ?? ''),
    },
  };
  const values = {
    beginAtZero: true,
    border: { display: false },
    grid: { color: colour('--pico-muted-border-color') },
    ticks: {
      color,
      maxTicksLimit: 5,
      callback: (value: unknown) => COMPACT.format(Number(value)),
    },
  };
  return {
    animation: false,
    maintainAspectRatio: false,
    indexAxis: isSeries ? 'x' : 'y',
    scales: isSeries ? { x: names, y: values } : { x: values, y: names },
    plugins: {
      tooltip: {
        displayColors: false,
        backgroundColor: colour('--pico-color'),
        titleColor: ground,
        bodyColor: ground,
        // The text has every digit; the number is for the length of the bar.
        callbacks: { label: ({ dataIndex }) => formatNumber(bars[dataIndex]?.text ?? '') },
      },
    },
  };
}

function shorten(label: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(label) ? DAY.format(Date.parse(label)) : label;
}
