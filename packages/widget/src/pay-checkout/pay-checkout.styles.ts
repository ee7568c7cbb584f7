import { css } from 'lit';

/**
 * The style of the element: it needs only the page's font and `color-scheme`. Comments are here, since
 * those inside would be sent to every page.
 *
 * - `:dir(rtl)`: English words keep their order, and their full stops.
 * - `border` of the button: forced colours show it.
 */
export const styles = css`
  :host {
    --accent: var(--pay-checkout-accent, light-dark(#1f4fd8, #8fb0ff));
    --surface: var(--pay-checkout-surface, light-dark(#fff, #1a1d24));
    --muted: var(--pay-checkout-muted, light-dark(#5a6172, #a5adbd));
    --border: var(--pay-checkout-border, light-dark(#d9dde5, #3a404d));
    --bad: var(--pay-checkout-bad, light-dark(#a8231b, #ff9c93));
    --radius: var(--pay-checkout-radius, 12px);
    --gap: var(--pay-checkout-gap, 16px);
    --control: var(--pay-checkout-control-height, 48px);
    display: block;
    overflow: auto;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  :where(section) :dir(rtl) {
    text-align: match-parent;
    unicode-bidi: plaintext;
  }
  :host([theme='light']) section {
    color-scheme: light;
  }
  :host([theme='dark']) section {
    color-scheme: dark;
  }
  dialog {
    inline-size: min(100vw - 16px, 480px);
    max-block-size: calc(100dvh - 16px);
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
    position: relative;
    color: var(--pay-checkout-text, light-dark(#1b1f29, #eceef3));
    font-family: var(--pay-checkout-font, inherit);
    line-height: 1.45;
    text-align: start;
    white-space: normal;
    padding: 4px calc(var(--gap) * 1.25) calc(var(--gap) * 1.25);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    background: var(--surface);
    overflow-wrap: anywhere;
  }
  header,
  .message,
  .button,
  .reference,
  label,
  ::slotted([slot='form']) {
    margin-block-start: var(--gap);
  }
  header,
  .message {
    min-block-size: 52px;
    display: flex;
    gap: 12px;
    align-items: center;
  }
  header {
    flex-wrap: wrap;
  }
  ::slotted([slot='logo']) {
    max-block-size: 40px;
    max-inline-size: 40%;
  }
  small {
    display: block;
    color: var(--muted);
    font-size: 0.8125em;
  }
  strong {
    font-size: 1.375em;
  }
  .blank {
    display: block;
    inline-size: 7em;
    block-size: 1.5em;
    border-radius: var(--radius);
    background: var(--border);
  }
  .badge {
    inline-size: fit-content;
    margin-inline-start: auto;
    padding: 2px 10px;
    border: 1px solid;
    border-radius: 99px;
    color: var(--pay-checkout-test, light-dark(#7a4b00, #ffcf7a));
  }
  .icon {
    flex: none;
    inline-size: 28px;
    block-size: 28px;
    padding: 5px;
    border-radius: 50%;
    background: var(--muted);
    fill: none;
    stroke: var(--surface);
    stroke-width: 3;
  }
  .paid {
    background: var(--pay-checkout-good, light-dark(#14733b, #6fd598));
  }
  .failed,
  .problem {
    background: var(--bad);
  }
  .spinner {
    flex: none;
    inline-size: 24px;
    block-size: 24px;
    border: 3px solid var(--border);
    border-block-start-color: var(--accent);
    border-radius: 50%;
    animation: turn 0.9s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  .button {
    display: block;
    inline-size: 100%;
    min-block-size: var(--control);
    padding: 10px 20px;
    border: 1px solid transparent;
    border-radius: calc(var(--radius) * 0.75);
    background: var(--accent);
    color: var(--pay-checkout-on-accent, light-dark(#fff, #0d1530));
    font: inherit;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }
  .button + .button {
    background: none;
    color: inherit;
  }
  .close {
    position: absolute;
    inset-block-start: 4px;
    inset-inline-end: 4px;
    inline-size: 44px;
    block-size: 44px;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  .close svg {
    inline-size: 24px;
    margin: auto;
    stroke: currentColor;
    stroke-width: 2;
  }
  :modal :is(header, .message) {
    padding-inline-end: 36px;
  }
  label,
  svg {
    display: block;
  }
  input {
    display: block;
    inline-size: 100%;
    min-block-size: var(--control);
    padding: 8px 12px;
    border: 1px solid var(--muted);
    border-radius: calc(var(--radius) / 2);
    background: none;
    color: inherit;
    font: inherit;
    font-size: max(16px, 1em);
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  label small {
    color: var(--bad);
  }
  .button:hover {
    filter: brightness(1.1);
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  @media (forced-colors: active) {
    .icon {
      background: Canvas;
      stroke: CanvasText;
    }
    .spinner {
      forced-color-adjust: none;
      border-color: Canvas CanvasText CanvasText;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spinner {
      animation: turn 9s steps(12) infinite;
    }
  }
`;
