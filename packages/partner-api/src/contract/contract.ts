import type { ZodType } from 'zod';

import type { OPERATIONS } from '../http/operation-facts.js';
import * as schemas from './schemas.js';

/** An operation of the contract: its schemas, and the name of the check made from its reply. */
export interface ContractOperation {
  readonly check: string;
  readonly request: ZodType;
  readonly reply: ZodType;
  readonly summary: string;
  readonly notShown?: readonly string[];
}

/** The contract: every operation of the document with the schemas of its bodies. */
export const CONTRACT: Readonly<Record<keyof typeof OPERATIONS, ContractOperation>> = {
  listTransactions: {
    check: 'checkTransactionPage',
    request: schemas.ListTransactionsRequest,
    reply: schemas.ListTransactionsReply,
    summary: 'List transactions, newest first.',
  },
  updateSchedule: {
    check: 'checkReportSchedule',
    request: schemas.UpdateScheduleRequest,
    reply: schemas.ReportSchedule,
    summary: 'Update a report schedule.',
  },
  associateMerchant: {
    check: 'checkMerchantAssociation',
    request: schemas.AssociateMerchantRequest,
    reply: schemas.AssociateMerchantReply,
    summary: "Reactivate a merchant's signup link, which is extended by 14 days.",
  },
  listScheduledTransfers: {
    check: 'checkScheduledTransfers',
    request: schemas.ScheduledTransfersRequest,
    reply: schemas.ScheduledTransfersReply,
    summary: 'Read the scheduled transfers of a merchant account. A GET that can carry a body.',
    notShown: ['How the request is authenticated.', 'The base address of production.'],
  },
  partnerAnalytics: {
    check: 'checkPartnerAnalytics',
    request: schemas.PartnerAnalyticsRequest,
    reply: schemas.PartnerAnalyticsReply,
    summary: 'Read the analytics of a partner for a timeframe.',
  },
  createCheckoutSession: {
    check: 'checkCheckoutSession',
    request: schemas.CreateCheckoutSessionRequest,
    reply: schemas.CheckoutSession,
    summary: 'Create a checkout session for the client SDK.',
  },
  createWebhook: {
    check: 'checkCreatedWebhook',
    request: schemas.CreateWebhookRequest,
    reply: schemas.CreateWebhookReply,
    summary: 'Create a webhook endpoint.',
    notShown: ['How deliveries are signed, and in which header.', 'Payloads of real events.'],
  },
  testWebhook: {
    check: 'checkWebhookTest',
    request: schemas.TestWebhookRequest,
    reply: schemas.TestWebhookReply,
    summary: 'Send a test delivery and return what the endpoint answered.',
  },
};
