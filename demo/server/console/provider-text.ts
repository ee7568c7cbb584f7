/** What the provider sent, as text for people: exact numbers, and every field that came. */
import { fieldText } from '@pay-checkout/partner-api';
import type { ProviderFields } from '../../shared/console-view.js';

/** All fields of an object, in its order. */
export function toFields(holder: object): ProviderFields {
  return Object.fromEntries(Object.keys(holder).map((name) => [name, fieldText(holder, name)]));
}

/** The same without fields that are shown in another place. */
export function otherFields(holder: object, shown: readonly string[]): ProviderFields {
  return Object.fromEntries(
    Object.entries(toFields(holder)).filter(([name]) => !shown.includes(name)),
  );
}
