import { Option, type Command } from 'commander';

import { parseInteger } from '../settings/parse-option.js';

/** The fields of spec 4.6 that are texts, each with its option: `AvsPostcode`, `--avs-postcode`. */
const TEXT_FIELDS = {
  Amount: 'decimal amount, such as 12.34',
  MerchantReference: 'your reference',
  RedirectUrl: 'where the shopper goes after paying',
  CancelUrl: 'where the shopper goes after giving up',
  WebhookUrl: 'where the outcome is told',
  backurl: 'where Back leads',
  host: 'address of the shop',
  provider: 'short code',
  customer_id: 'customer',
  email: 'of the shopper',
  phoneNumber: 'of the shopper',
  name: 'of the shopper',
  firstname: 'of the shopper',
  lastname: 'of the shopper',
  AvsHouseNumber: 'for the address check',
  AvsPostcode: 'for the address check',
  flat: 'of the address',
  address1: 'of the address',
  address2: 'of the address',
} as const;

const NUMBER_FIELDS = { merchant_id: 'the merchant', order_id: 'the order' } as const;

export function addSessionFields(command: Command): Command {
  for (const [field, what] of Object.entries(NUMBER_FIELDS)) {
    const option = new Option(`--${dashed(field)} <number>`, `${field}: ${what}`);
    command.addOption(option.argParser(parseInteger));
  }
  for (const [field, what] of Object.entries(TEXT_FIELDS)) {
    command.option(`--${dashed(field)} <text>`, `${field}: ${what}`);
  }
  return command;
}

/** The fields that were given, by the provider's names. */
export function sessionFieldsOf(
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = [...Object.keys(NUMBER_FIELDS), ...Object.keys(TEXT_FIELDS)];
  const given = fields.map((field) => [field, options[camelled(dashed(field))]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function dashed(field: string): string {
  return field
    .replaceAll('_', '-')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}

function camelled(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
