import type { AvsField, AvsInput } from '@pay-checkout/session-server/contract';
import { html, nothing, type TemplateResult } from 'lit';
import type { Address } from '../flow/checkout-flow.js';
import type { Labels } from '../labels/en.js';

/** The server finds the house number in a whole address line. */
const AUTOCOMPLETE: Readonly<Record<AvsField, string>> = {
  houseNumber: 'address-line1',
  postcode: 'postal-code',
  flat: 'address-line3',
  address1: 'address-line1',
  address2: 'address-line2',
};

const REQUIRED: readonly AvsField[] = ['houseNumber', 'postcode'];

/** The fields that the server requires, with what was typed before and what was rejected. */
export function renderAddress(
  { request, input, rejected = [] }: Address,
  onSubmit: (event: SubmitEvent) => void,
  labels: Labels,
): TemplateResult {
  return html`<form id="address" .onsubmit=${onSubmit}>
    ${(request.fields ?? REQUIRED).map((name) => {
      const isRejected = rejected.includes(`avs.${name}`);
      return html`<label part="field"
        >${labels.fields[name]}
        <input
          part="input"
          name=${name}
          autocomplete="billing ${AUTOCOMPLETE[name]}"
          maxlength=${name === 'postcode' ? 32 : 100}
          pattern=".*\\S.*"
          ?required=${REQUIRED.includes(name)}
          .value=${input?.[name] ?? ''}
          aria-invalid=${isRejected}
          aria-describedby="error-${name}"
        /><small id="error-${name}" part="error"
          >${isRejected ? labels.rejectedField : nothing}</small
        ></label
      >`;
    })}
  </form>`;
}

/** What the shopper typed, without the fields that stayed empty. */
export function readAddress(form: HTMLFormElement): AvsInput {
  const typed = [...new FormData(form)].filter(([, text]) => text);
  return Object.fromEntries(typed) as unknown as AvsInput;
}
