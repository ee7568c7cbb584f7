/** The phases of the tag as badges: the one it is in, and those that it has been through. */
import type { Phase, Settlement, Way } from '@pay-checkout/widget';
import { html, type TemplateResult } from 'lit';

/** What each phase means, for a person who points at it. The compiler knows if one is missing. */
const PHASES: Readonly<Record<Phase, string>> = {
  idle: 'nothing has begun',
  opening: 'the checkout is being opened',
  address: 'the shopper is asked for the address',
  ready: 'the form can be used',
  redirecting: 'the page is about to be left',
  confirming: 'somebody came back; the evidence is looked for',
  paid: 'certain: evidence stands behind it',
  failed: 'certain: it did not go through',
  cancelled: 'the shopper cancelled',
  left: 'the shopper went back',
  expired: 'it was open for too long',
  unconfirmed: 'no evidence in time',
  problem: 'technical trouble',
};

export interface PhaseView {
  readonly phase: Phase;
  readonly visited: ReadonlySet<Phase>;
  /** Where the payment happens, once it is chosen. */
  readonly way: Way | undefined;
  readonly settlement: Settlement | undefined;
}

export function renderPhases({ phase, visited, way, settlement }: PhaseView): TemplateResult {
  return html`<ol class="phases">
      ${Object.entries(PHASES).map(([name, what]) => {
        const isHere = name === phase;
        const state = isHere ? 'is-here' : visited.has(name as Phase) ? 'is-past' : '';
        return html`<li class=${state} title=${what} aria-current=${isHere ? 'step' : 'false'}>
          ${name}${state === 'is-past' ? html`<span class="unseen"> (has been)</span>` : ''}
        </li>`;
      })}
    </ol>
    <dl class="known">
      <div>
        <dt>Meaning</dt>
        <dd data-fact="meaning">${PHASES[phase]}</dd>
      </div>
      <div>
        <dt>Way chosen</dt>
        <dd data-fact="way">${way ?? 'not yet'}</dd>
      </div>
      <div>
        <dt><code>whenSettled</code></dt>
        <dd data-fact="settled">
          ${
            settlement === undefined
              ? 'pending'
              : `${settlement.outcome}, ${settlement.certain ? 'certain' : 'not certain'}`
          }
        </dd>
      </div>
    </dl>`;
}
