import { z } from 'zod';
import { integer, knownCurrency, text } from '../schemas.js';
import { listOf, route, wholeNumber } from './route.js';
import { parseBody } from '../http/errors.js';
import { SECTION } from './route.js';

const name = text.min(1, 'expected a name').max(100, 'expected at most 100 characters');
const resellerId = integer.optional().meta({ description: 'Default: all resellers' });

const key = z.strictObject({ name, resellerId });
const merchant = z.strictObject({
  id: integer,
  name,
  currency: knownCurrency,
  resellerId: integer.optional().meta({ description: "Default: the sandbox's own" }),
});
const partner = z.strictObject({
  name,
  resellerId,
  currency: knownCurrency.optional(),
  success: z.boolean().optional(),
  isQuiet: z.boolean().optional(),
});

/** Who calls the API, and for whom. */
export const ACCOUNT_ROUTES = [
  route({
    method: 'get',
    path: '/keys',
    command: 'keys',
    summary: 'List the API keys by name',
    answer: z.object({ keys: listOf(key) }),
    handle: (control) => ({ keys: control.keys() }),
  }),
  route({
    method: 'post',
    path: '/keys',
    command: 'keys add <name>',
    summary: 'Make an API key; only this answer shows it',
    body: key,
    status: 201,
    answer: key.extend({ key: text }),
    handle: (control, { body }) => control.addKey(body),
  }),
  route({
    method: 'delete',
    path: '/keys/:name',
    command: 'keys revoke <name>',
    summary: 'Revoke an API key',
    handle(control, { id }) {
      control.removeKey(id);
    },
  }),
  route({
    method: 'get',
    path: '/merchants',
    command: 'merchants',
    summary: 'List the merchants',
    answer: z.object({ merchants: listOf(merchant) }),
    handle: (control) => ({ merchants: control.merchants() }),
  }),
  route({
    method: 'post',
    path: '/merchants',
    command: 'merchants add <id> <name> <currency>',
    summary: 'Add a merchant, with report schedules, a signup link and transfers',
    body: merchant,
    status: 201,
    answer: merchant,
    handle: (control, { body }) => control.addMerchant(body),
  }),
  route({
    method: 'delete',
    path: '/merchants/:id',
    command: 'merchants remove <id>',
    summary: 'Remove a merchant; what happened to it stays',
    handle(control, { id }) {
      control.removeMerchant(parseBody(wholeNumber, id, SECTION));
    },
  }),
  route({
    method: 'get',
    path: '/partners',
    command: 'partners',
    summary: 'List the partners whose analytics can be read',
    answer: z.object({ partners: listOf(partner) }),
    handle: (control) => ({ partners: control.partners() }),
  }),
  route({
    method: 'post',
    path: '/partners',
    command: 'partners add <name>',
    summary: 'Add a partner whose analytics can be read',
    body: partner,
    status: 201,
    answer: partner,
    handle: (control, { body }) => control.addPartner(body),
  }),
  route({
    method: 'delete',
    path: '/partners/:name',
    command: 'partners remove <name>',
    summary: 'Remove a partner',
    handle(control, { id }) {
      control.removePartner(id);
    },
  }),
];
