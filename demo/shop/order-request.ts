/** What a shopper may send when ordering. It names things and people; it never says a price. */
import { z } from 'zod';
import type { Brand } from '../brands/brand.js';
import { findProduct, MAX_QUANTITY } from './catalogue.js';

const MAX_LINES = 50;

/** Body of `POST /api/orders`. What a person types is answered in the language of the shop. */
export function orderRequestSchema(brand: Brand) {
  return z.strictObject(
    {
      items: itemsSchema(brand),
      customer: customerSchema(brand),
      address: addressSchema(brand),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `Leave out ${issue.keys.join(', ')}: we price orders ourselves`
          : 'Send items, customer and address',
    },
  );
}

function itemsSchema(brand: Brand) {
  const item = z.strictObject({
    sku: z
      .string({ error: 'Name a product' })
      .refine((sku) => findProduct(brand, sku) !== undefined, 'We do not sell this'),
    quantity: z
      .int({ error: 'Give a whole number' })
      .min(1, 'Take at least 1')
      .max(MAX_QUANTITY, `Take at most ${MAX_QUANTITY}`),
  });
  return z
    .array(item, { error: 'Send the items of the basket' })
    .min(1, 'The basket is empty')
    .max(MAX_LINES, `Send at most ${MAX_LINES} lines`)
    .refine(
      (lines) => new Set(lines.map((line) => line.sku)).size === lines.length,
      'Name each product once',
    );
}

function customerSchema({ words }: Brand) {
  return z.strictObject({
    firstName: text(words, words.firstName, 60),
    lastName: text(words, words.lastName, 60),
    email: text(words, words.email, 254).pipe(z.email(words.wrongEmail)),
    phone: z
      .string()
      .trim()
      .regex(/^$|^\+?[\d ()-]{7,20}$/, words.wrongPhone)
      .optional(),
  });
}

function addressSchema({ countries, words }: Brand) {
  const names = countries.map(({ name }) => name);
  return z
    .strictObject({
      address1: text(words, words.address1, 100),
      address2: z.string().trim().max(100, words.tooLong(100)).optional(),
      town: text(words, words.town, 60),
      postcode: text(words, words.postcode, 10).toUpperCase(),
      country: z.enum(names, { error: words.wrongCountry }),
    })
    .refine(
      ({ country, postcode }) =>
        countries.find(({ name }) => name === country)?.postcode.test(postcode) === true,
      { error: words.wrongPostcode, path: ['postcode'] },
    );
}

function text({ enter, tooLong }: Brand['words'], label: string, maximum: number) {
  return z
    .string({ error: enter(label) })
    .trim()
    .min(1, enter(label))
    .max(maximum, tooLong(maximum));
}

/** A checked order, before it is priced. */
export type OrderRequest = z.output<ReturnType<typeof orderRequestSchema>>;
export type Customer = OrderRequest['customer'];
export type Address = OrderRequest['address'];
