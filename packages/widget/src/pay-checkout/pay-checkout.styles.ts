import { css } from 'lit';

/**
 * The style of the element: it needs only the page's font and `color-scheme`. Comments are here, since
 * those inside would be sent to every page.
 *
 * - `:dir(rtl)`: English words keep their order, and their full stops.
 * - `.skeleton`: the form is drawn over the placeholders of its fields, so that it never moves.
 * - `border` of the button: forced colours show it.
 * - `!important` of the form: a page's own `* { margin: 0 }` is stronger without it.
 */
export const styles = css`
  :host {
    --accent: var(--pay-checkout-accent, light-dark(#1f4fd8, #8fb0ff));
    --surface: var(--pay-checkout-surface, light-dark(#fff, #1a1d24));
    --muted: var(--pay-checkout-muted, light-dark(#5a6172, #a5adbd));
    --border: var(--pay-checkout-border, light-dark(#d9dde5, #3a404d));
    --bad: var(--pay-checkout-bad, light-dark(#a8231b, #ff9c93));
    --tone: var(--muted);
    --radius: var(--pay-checkout-radius, 12px);
    --gap: var(--pay-checkout-gap, 16px);
    --control: var(--pay-checkout-control-height, 48px);
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
    border-radius: var(--radius);
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
    padding: 0 var(--gap) var(--gap);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    background: var(--surface);
    overflow-wrap: anywhere;
  }
  header,
  .message,
  label,
  section > :is(button, a, small) {
    margin-block-start: var(--gap);
  }
  ::slotted([slot='form']) {
    margin-block-start: var(--gap) !important;
  }
  header,
  .message {
    min-block-size: var(--control);
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
    color: var(--muted);
    font-size: 0.8125em;
  }
  strong {
    font-size: 1.375em;
  }
  p {
    display: flex;
    gap: 12px;
  }
  p span {
    flex: auto;
  }
  .blank {
    block-size: var(--control);
    background: var(--border);
  }
  .blank,
  .message,
  button,
  a,
  input {
    border-radius: calc(var(--radius) / 2);
  }
  header .blank {
    inline-size: 7em;
    block-size: 24px;
    margin: 12px 0;
  }
  .skeleton [role='status'] {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: calc(var(--gap) / 2);
    align-self: start;
    margin-block-start: var(--gap);
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
    --tone: var(--bad);
  }
  .paid {
    --tone: var(--pay-checkout-good, light-dark(#14733b, #6fd598));
  }
  [part='notice'],
  .end .message {
    padding: 12px;
    background: color-mix(in srgb, var(--tone) 10%, var(--surface));
  }
  .end .message {
    flex-direction: column;
    text-align: center;
    text-wrap: balance;
  }
  [part='icon'],
  [part='spinner'] {
    flex: none;
    inline-size: 28px;
    block-size: 28px;
    border-radius: 50%;
  }
  [part='icon'] {
    background: var(--tone);
    padding: 5px;
    fill: none;
    stroke: var(--surface);
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
    border: 3px solid var(--border);
    border-block-start-color: var(--accent);
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
    min-block-size: var(--control);
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
    background: var(--accent);
    color: var(--pay-checkout-on-accent, light-dark(#fff, #0d1530));
  }
  input {
    inline-size: 100%;
    margin-block-start: 4px;
    border-color: var(--muted);
    font-size: max(16px, 1em);
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  [part='error'] {
    margin-block-start: 6px;
    color: var(--bad);
  }
  :focus-visible {
    outline: 3px solid var(--accent);
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
