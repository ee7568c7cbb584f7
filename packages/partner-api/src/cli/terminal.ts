import { once } from 'node:events';
import { styleText } from 'node:util';

import { toJsonText } from '../decimal.js';
import type { Secret } from '../secret.js';
import { throwIfInterrupted } from './exit-codes.js';

/** A stream that text is written to, and what is known of the terminal behind it. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The colours in use; without a terminal, or with `NO_COLOR`, there are none. */
export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** How the result of a check is marked. */
const MARKS = {
  ok: ['green', 'ok  '],
  conforms: ['green', 'ok  '],
  warn: ['yellow', 'warn'],
  fail: ['red', 'FAIL'],
  deviates: ['red', 'FAIL'],
  error: ['red', 'ERR '],
  skip: ['dim', 'skip'],
  skipped: ['dim', 'skip'],
} as const;

/** A shorter secret would blot out ordinary words. No key of that length is worth hiding. */
const MIN_HIDDEN_LENGTH = 6;

/**
 * The output of a command: results on stdout, all other lines on stderr. All that is written passes
 * one gate that takes known secrets out, as the last of several guards.
 */
export class Terminal {
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #signal: AbortSignal;
  readonly #hasColor: boolean;
  readonly #secrets = new Set<string>();
  quiet = false;

  constructor(
    context: {
      readonly stdout: OutputStream;
      readonly stderr: OutputStream;
      readonly signal: AbortSignal;
    },
    env: NodeJS.ProcessEnv,
  ) {
    this.#stdout = context.stdout;
    this.#stderr = context.stderr;
    this.#signal = context.signal;
    const forbidden = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
    this.#hasColor = context.stdout.isTTY === true && !forbidden;
  }

  /** Whether a person reads the results as they come. */
  get isRead(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Width that a table may take: that of the terminal, or any. */
  get tableWidth(): number {
    return this.#stdout.isTTY === true ? (this.#stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Width for drawings that need one. */
  get drawingWidth(): number {
    return Math.min(this.#stdout.columns ?? 80, 120);
  }

  /** Progress that overwrites itself makes sense only on a terminal. */
  get showsProgress(): boolean {
    return this.#stderr.isTTY === true && !this.quiet;
  }

  /** Registers a secret that must never be written. */
  hide(secret: Secret): void {
    const text = secret.reveal();
    if (text.length < MIN_HIDDEN_LENGTH) return;
    this.#secrets.add(text);
    this.#secrets.add(JSON.stringify(text).slice(1, -1));
  }

  /** A line of the result, on stdout. */
  print(...lines: readonly string[]): void {
    this.#stdout.write(this.#clean(lines.map((line) => `${line}\n`).join('')));
  }

  /** The result as one JSON document, on stdout. */
  printJson(value: unknown): void {
    this.print(toJsonText(value, 2));
  }

  /** Data on stdout, at the speed of the reader: as it is, unless a terminal reads it. */
  async write(data: string): Promise<void> {
    if (this.#stdout.write(this.#stdout.isTTY === true ? escapeControls(data) : data)) return;
    try {
      await once(this.#stdout, 'drain', { signal: this.#signal });
    } catch (error) {
      throwIfInterrupted(this.#signal);
      throw error;
    }
  }

  /** A line of progress or advice, on stderr; nothing with `--quiet`. */
  note(line: string): void {
    if (!this.quiet) this.#stderr.write(this.#clean(`${line}\n`));
  }

  /** A line that must be seen, on stderr. */
  warn(line: string): void {
    this.#stderr.write(this.#clean(`${line}\n`));
  }

  /** Overwrites the line of progress; an empty text removes it. */
  progress(line: string): void {
    if (this.showsProgress) this.#stderr.write(`\r\u001b[K${this.#clean(line)}`);
  }

  style(style: Style, text: string): string {
    return this.#hasColor ? styleText(style, text, { validateStream: false }) : text;
  }

  mark(result: keyof typeof MARKS): string {
    const [style, mark] = MARKS[result];
    return this.style(style, mark);
  }

  #clean(text: string): string {
    let clean = escapeControls(text);
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '[secret]');
    return clean;
  }
}

/**
 * Text of others as it may stand on a terminal: control characters and marks that turn the reading
 * direction are shown as `�`, because they could move the cursor or fake a line.
 */
export function toPlainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�');
}

/**
 * The last guard: what could move the cursor, fake a line or turn the reading direction is written as
 * JSON would write it, `\u001b`. Line breaks, tabs and colours stay.
 */
export function escapeControls(text: string): string {
  return text.replace(DANGEROUS, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\p{Bidi_Control}]|\r(?!\n)|\x1b(?!\[[\d;]*m)/gu;

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += ZERO_WIDTH.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
}

/** Fills a text up with spaces to a width. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? spaces + text : text + spaces;
}
