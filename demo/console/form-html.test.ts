import { requestSchemas } from '@pay-checkout/partner-api/openapi';
import { describe, expect, it } from 'vitest';
import { renderOperationForm } from './form-html.js';
import { FORM_LAYOUTS } from './form-layouts.js';
import { fieldsOf } from './operation-fields.js';

describe('the forms of the console', () => {
  it('have every field of their operation', () => {
    for (const [name, { operation, leftOut = [] }] of Object.entries(FORM_LAYOUTS)) {
      const form = renderOperationForm(name);
      const wanted = fieldsOf(operation).filter((field) => !leftOut.includes(field.name));
      const missing = wanted.filter(
        ({ name: field }) =>
          !form.includes(` name="${field}"`) && !form.includes(` data-rows="${field}"`),
      );
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });

  it('offer a value that is new in the provider’s document', () => {
    const { properties } = requestSchemas['analytics.partner'] as {
      properties: { timeframe: { examples: string[] } };
    };
    properties.timeframe.examples.push('half_yearly');
    expect(renderOperationForm('analytics')).toContain('<option value="half_yearly">Half yearly');
    properties.timeframe.examples.pop();
  });
});
