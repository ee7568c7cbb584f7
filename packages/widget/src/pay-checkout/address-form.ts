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
  return html`<form id="address" novalidate .onsubmit=${onSubmit}>
    ${(request.fields ?? REQUIRED).map((name) => {
      const isRejected = rejected.includes(`avs.${name}`);
      const error = input?.[name] ? labels.rejectedField : labels.missingField;
      return html`<label part="field"
          >${labels.fields[name]}
          <input
            part="input"
            name=${name}
            autocomplete="billing ${AUTOCOMPLETE[name]}"
            ?required=${REQUIRED.includes(name)}
            .value=${input?.[name] ?? ''}
            aria-invalid=${isRejected}
            aria-describedby="error-${name}"
        /></label>
        <small id="error-${name}" part="error">${isRejected ? error : nothing}</small>`;
    })}
  </form>`;
}

/** What the shopper typed, without the fields that stayed empty, and the required ones among these. */
export function readAddress(form: HTMLFormElement): { input: AvsInput; rejected: string[] } {
  const typed = [...new FormData(form)].filter(([, text]) => /\S/.test(text as string));
  const input = Object.fromEntries(typed) as unknown as AvsInput;
  const missing = REQUIRED.filter((name) => form.elements.namedItem(name) && !input[name]);
  return { input, rejected: missing.map((name) => `avs.${name}`) };
}
