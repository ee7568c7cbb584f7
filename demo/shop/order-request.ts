/** What a shopper may send when ordering. It names things and people; it never says a price. */
import { z } from 'zod';
import { findProduct, MAX_QUANTITY } from './catalogue.js';

const MAX_LINES = 50;

const text = (name: string, maximum: number) =>
  z
    .string({ error: `Enter ${name}` })
    .trim()
    .min(1, `Enter ${name}`)
    .max(maximum, `Use at most ${maximum} characters`);

const optionalText = (maximum: number) =>
  z.string().trim().max(maximum, `Use at most ${maximum} characters`).optional();

const item = z.strictObject({
  sku: z
    .string({ error: 'Name a product' })
    .refine((sku) => findProduct(sku) !== undefined, 'We do not sell this'),
  quantity: z
    .int({ error: 'Give a whole number' })
    .min(1, 'Take at least 1')
    .max(MAX_QUANTITY, `Take at most ${MAX_QUANTITY}`),
});

const items = z
  .array(item, { error: 'Send the items of the basket' })
  .min(1, 'The basket is empty')
  .max(MAX_LINES, `Send at most ${MAX_LINES} lines`)
  .refine(
    (lines) => new Set(lines.map((line) => line.sku)).size === lines.length,
    'Name each product once',
  );

const customer = z.strictObject({
  firstName: text('a first name', 60),
  lastName: text('a last name', 60),
  email: text('an email address', 254).pipe(
    z.email('Enter an email address such as name@example.com'),
  ),
  phone: z
    .string()
    .trim()
    .regex(/^$|^\+?[\d ()-]{7,20}$/, 'Enter a phone number such as 01632 960 001')
    .optional(),
});

const POSTCODES = {
  'United Kingdom': /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/,
  Ireland: /^[A-Z]\d[\dW] ?[A-Z\d]{4}$/,
} as const;

const address = z
  .strictObject({
    address1: text('the first line of the address', 100),
    address2: optionalText(100),
    town: text('a town or city', 60),
    postcode: text('a postcode', 10).toUpperCase(),
    country: z.enum(['United Kingdom', 'Ireland'], {
      error: 'Choose a country that we deliver to',
    }),
  })
  .refine(({ country, postcode }) => POSTCODES[country].test(postcode), {
    error: 'Enter a full postcode such as BS1 4ST',
    path: ['postcode'],
  });

/** Body of `POST /api/orders`. */
export const orderRequestSchema = z.strictObject(
  { items, customer, address },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Leave out ${issue.keys.join(', ')}: we price orders ourselves`
        : 'Send items, customer and address',
  },
);

/** A checked order, before it is priced. */
export type OrderRequest = z.output<typeof orderRequestSchema>;
export type Customer = OrderRequest['customer'];
export type Address = OrderRequest['address'];
