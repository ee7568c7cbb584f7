import { pad, toPlainText, widthOf } from './plain-text.js';

/** A value to draw: its exact text is shown, its number only sets the length. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const MIN_BAR_WIDTH = 10;

/** Horizontal bars to one scale; what is below zero is drawn lighter. */
export function renderBars(bars: readonly Bar[], width: number): string[] {
  const labels = bars.map(({ label }) => toPlainText(label));
  const labelWidth = Math.max(0, ...labels.map(widthOf));
  const textWidth = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const room = Math.max(MIN_BAR_WIDTH, width - labelWidth - textWidth - 4);
  const longest = Math.max(0, ...bars.map(({ value }) => Math.abs(value)));
  return bars.map(({ value, text }, at) => {
    const share = longest === 0 ? 0 : Math.abs(value) / longest;
    const label = pad(labels[at] ?? '', labelWidth, 'right');
    const bar = drawBar(share * room, value < 0);
    return `${label}  ${pad(text, textWidth, 'left')}  ${bar}`.trimEnd();
  });
}

function drawBar(length: number, isNegative: boolean): string {
  const eighths = Math.round(length * 8);
  const full = Math.floor(eighths / 8);
  if (isNegative) return '░'.repeat(Math.max(full, eighths > 0 ? 1 : 0));
  return '█'.repeat(full) + (EIGHTHS[eighths % 8] ?? '');
}
