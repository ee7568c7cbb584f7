import { css } from 'lit';

/**
 * The style of the element: it needs only the page's font and `color-scheme`. Comments are here, since
 * those inside would be sent to every page.
 *
 * - `:dir(rtl)`: English words keep their order, and their full stops.
 * - `summary`: its triangle is before the amount in both directions.
 * - `--_`: a page's own `--accent` is another one.
 * - `.skeleton`: the form is drawn over the placeholders of its fields, so that it never moves.
 * - `border` of the button: forced colours show it.
 * - `!important` of the form: a page's own `* { margin: 0 }` is stronger without it.
 */
export const styles = css`
  :host {
    --_accent: var(--pay-checkout-accent, light-dark(#1f4fd8, #8fb0ff));
    --_surface: var(--pay-checkout-surface, light-dark(#fff, #1a1d24));
    --_muted: var(--pay-checkout-muted, light-dark(#5a6172, #a5adbd));
    --_border: var(--pay-checkout-border, light-dark(#d9dde5, #3a404d));
    --_bad: var(--pay-checkout-bad, light-dark(#a8231b, #ff9c93));
    --_tone: var(--_muted);
    --_radius: var(--pay-checkout-radius, 12px);
    --_gap: var(--pay-checkout-gap, 16px);
    --_control: var(--pay-checkout-control-height, 48px);
    display: block;
    max-inline-size: var(--pay-checkout-max-width, 560px);
    overflow: auto;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  :where(section :dir(rtl)) {
    text-align: right;
    unicode-bidi: plaintext;
  }
  section.light {
    color-scheme: light;
  }
  section.dark {
    color-scheme: dark;
  }
  dialog {
    inline-size: min(100vw - 16px, 480px);
    max-inline-size: 100%;
    margin: auto;
    padding: 0;
    border: 0;
    border-radius: var(--_radius);
    background: none;
  }
  ::backdrop {
    background: #0009;
  }
  section {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    color: var(--pay-checkout-text, light-dark(#1b1f29, #eceef3));
    font-family: var(--pay-checkout-font, inherit);
    line-height: 1.45;
    text-align: start;
    white-space: normal;
    padding: 0 var(--_gap) var(--_gap);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
    overflow-wrap: anywhere;
  }
  header,
  .message,
  label,
  section > :is(button, a, small) {
    margin-block-start: var(--_gap);
  }
  ::slotted([slot='form']) {
    margin-block-start: var(--_gap) !important;
  }
  header,
  .message {
    min-block-size: var(--_control);
    display: flex;
    gap: 12px;
    align-items: center;
  }
  header {
    min-block-size: 52px;
    flex-wrap: wrap;
  }
  header,
  [part='close'] {
    grid-area: 1 / 1;
  }
  [part='close'] {
    place-self: start end;
  }
  :modal header {
    padding-inline-end: 64px;
  }
  header > span {
    flex: auto;
    align-self: start;
  }
  ::slotted([slot='logo']) {
    max-block-size: 40px;
    max-inline-size: 40%;
  }
  small,
  label,
  svg,
  input,
  .blank {
    display: block;
  }
  small {
    color: var(--_muted);
    font-size: 0.8125em;
  }
  strong {
    font-size: 1.375em;
  }
  summary {
    unicode-bidi: isolate;
  }
  p {
    display: flex;
    gap: 12px;
  }
  p span {
    flex: auto;
  }
  .blank {
    block-size: var(--_control);
    background: var(--_border);
  }
  .blank,
  .message,
  button,
  a,
  input {
    border-radius: calc(var(--_radius) / 2);
  }
  header .blank {
    inline-size: 7em;
    block-size: 24px;
    margin: 12px 0;
  }
  .skeleton [role='status'] {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: calc(var(--_gap) / 2);
    align-self: start;
    margin-block-start: var(--_gap);
  }
  .skeleton [role='status'],
  .skeleton ::slotted([slot='form']) {
    grid-area: 2 / 1;
  }
  .skeleton .message,
  .blank:first-child {
    grid-column: span 2;
    margin: 0;
  }
  [part='badge'] {
    padding: 2px 10px;
    border: 1px solid;
    border-radius: 99px;
    color: var(--pay-checkout-test, light-dark(#7a4b00, #ffcf7a));
  }
  .failed,
  .problem {
    --_tone: var(--_bad);
  }
  .paid {
    --_tone: var(--pay-checkout-good, light-dark(#14733b, #6fd598));
  }
  [part='notice'],
  .end .message {
    padding: 12px;
    background: color-mix(in srgb, var(--_tone) 10%, var(--_surface));
  }
  .end .message {
    flex-direction: column;
    text-wrap: balance;
  }
  .end .message,
  .end .message * {
    text-align: center;
  }
  [part='icon'],
  [part='spinner'] {
    flex: none;
    inline-size: 28px;
    block-size: 28px;
    border-radius: 50%;
  }
  [part='icon'] {
    background: var(--_tone);
    padding: 5px;
    fill: none;
    stroke: var(--_surface);
    stroke-width: 3;
  }
  .end [part='icon'] {
    inline-size: 56px;
    block-size: 56px;
    padding: 12px;
  }
  .end .paid {
    font-size: 1.25em;
    font-weight: bold;
  }
  .paid small {
    margin-block-start: 4px;
    font-weight: normal;
  }
  .paid [part='icon'] {
    stroke-dasharray: 21;
    animation: draw 0.5s;
  }
  @keyframes draw {
    from {
      stroke-dashoffset: 21;
    }
  }
  [part='spinner'] {
    border: 3px solid var(--_border);
    border-block-start-color: var(--_accent);
    animation: turn 0.9s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  button,
  a,
  input {
    min-block-size: var(--_control);
    padding: 8px 12px;
    border: 1px solid transparent;
    background: none;
    color: inherit;
    font: inherit;
  }
  button,
  a {
    font-weight: bold;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }
  [part='button'] {
    background: var(--_accent);
    color: var(--pay-checkout-on-accent, light-dark(#fff, #0d1530));
  }
  input {
    inline-size: 100%;
    margin-block-start: 4px;
    border-color: var(--_muted);
    font-size: max(16px, 1em);
  }
  [aria-invalid='true'] {
    border-color: var(--_bad);
  }
  [part='error'] {
    margin-block-start: 6px;
    color: var(--_bad);
  }
  :focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }
  [part='button']:hover,
  [aria-disabled='true'] {
    opacity: 0.9;
  }
  @media (forced-colors: active) {
    :host [part='icon'] {
      background: Canvas;
      stroke: CanvasText;
    }
    [part='spinner'] {
      forced-color-adjust: none;
      border-color: Canvas CanvasText CanvasText;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .paid [part='icon'] {
      animation: none;
    }
    [part='spinner'] {
      animation: turn 9s steps(12) infinite;
    }
  }
`;
