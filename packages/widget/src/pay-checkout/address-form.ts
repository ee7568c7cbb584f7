import type { AvsField, AvsInput } from '@pay-checkout/session-server/contract';
import { html, nothing, type TemplateResult } from 'lit';
import type { Address } from '../flow/checkout-flow.js';
import { en } from '../labels/en.js';

/** What a browser fills in. A whole line is welcome as house number: the server finds it there. */
const AUTOFILL: Readonly<Record<AvsField, string>> = {
  houseNumber: 'address-line1',
  postcode: 'postal-code',
  flat: 'address-line3',
  address1: 'address-line1',
  address2: 'address-line2',
};
type Drawn = TemplateResult | typeof nothing;

const NEEDED: readonly AvsField[] = ['houseNumber', 'postcode'];

/** The fields that the server asked for, with what was typed before and what was wrong with it. */
export function renderAddress(
  { asked, given, refused = [] }: Address,
  onSubmit: (event: SubmitEvent) => void,
): TemplateResult {
  return html`<form id="address" .onsubmit=${onSubmit}>
    ${(asked.fields ?? NEEDED).reduceRight<Drawn>((following, name, index) => {
      const isRefused = refused.includes(`avs.${name}`);
      return html`<label part="field"
          >${en.fields[name]}
          <input
            part="input"
            name=${name}
            autocomplete=${`billing ${AUTOFILL[name]}`}
            maxlength=${name === 'postcode' ? 32 : 100}
            pattern=".*\\S.*"
            .required=${NEEDED.includes(name)}
            .value=${given?.[name] ?? ''}
            aria-invalid=${isRefused}
            aria-describedby=${`e${index}`}
          /><small id=${`e${index}`}>${isRefused ? en.refusedField : nothing}</small></label
        >${following}`;
    }, nothing)}
  </form>`;
}

/** What the shopper typed, without the fields that stayed empty. */
export function readAddress(form: HTMLFormElement): AvsInput {
  const typed = [...new FormData(form)].filter(([, text]) => text);
  return Object.fromEntries(typed) as unknown as AvsInput;
}
