import * as z from 'zod';

/**
 * The provider's document (sections 2 and 4) as schemas: the one contract from which the checks of
 * answers and the OpenAPI document are made. Never loaded at run time.
 */

/** Marks what the document leaves open, in its own words. */
function notShown(what: string): { 'x-not-shown': string } {
  return { 'x-not-shown': what };
}

const day = (): z.ZodString => z.string().meta({ description: 'Date, YYYY-MM-DD.' });
const REQUIRED = notShown('Which fields are required.');

export const Transaction = z
  .looseObject({
    id: z.string(),
    source: z.string().meta({ examples: ['payments'] }),
    transactionTime: z.string().meta({ description: 'ISO 8601, UTC, with milliseconds.' }),
    orderRef: z.string(),
    amount: z.number(),
    currencyCode: z.string(),
    status: z.string().meta({ examples: ['SUCCESS', 'REFUNDED'], ...notShown('All values.') }),
    merchantId: z.int(),
    merchantName: z.string(),
    paymentMethod: z
      .string()
      .meta({ examples: ['New Card', 'Saved Card', 'Apple Pay', 'Google Pay'] }),
    transactionModeId: z.int().meta({ examples: [1, 2] }),
    internalReference: z.string(),
    pspReference: z.string(),
    last4Digits: z.string(),
    shopperId: z.string(),
    service_fee: z.number(),
    firstname: z.string(),
    lastname: z.string(),
    resellerOrderId: z.string(),
    customerType: z.string(),
    net: z.number(),
    deductions: z.number(),
    amountRefunded: z.number(),
  })
  .partial()
  .meta({
    id: 'Transaction',
    description: 'Section 2.1. Further properties may come.',
    ...notShown('Which fields are present in which variant.'),
  });

export const ListTransactionsRequest = z
  .object({
    fromDate: day(),
    toDate: day(),
    limit: z.int().meta({ description: 'Page size.', ...notShown('Maximum and default.') }),
    cursor: z.string(),
    status: z.array(z.string()).meta({ examples: [['SUCCESS', 'REFUND']] }),
    merchantId: z.int(),
    timezone: z.string(),
    resellerId: z.int(),
  })
  .partial()
  .meta(REQUIRED);

export const ListTransactionsReply = z.looseObject({
  data: z.looseObject({ transactions: z.array(Transaction), timezone: z.string().optional() }),
  pagination: z.looseObject({
    hasMore: z.boolean(),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Opaque.', ...notShown('Its lifetime.') }),
  }),
});

export const ReportSchedule = z
  .looseObject({
    id: z.string(),
    reseller_id: z.int(),
    merchant_id: z.int(),
    merchant_name: z.string(),
    report_type: z.string(),
    schedule_type: z.string().meta({ examples: ['one_time', 'daily'] }),
    cadence: z.string(),
    status: z.string().meta({ examples: ['active'], ...notShown('All values.') }),
    run_status: z.string().meta({ examples: ['pending'], ...notShown('All values.') }),
    from_date: day(),
    to_date: day(),
    email: z.string(),
    notification_email: z.string(),
    requested_by: z.string(),
    download_url: z.string(),
    row_count: z.int(),
    file_size_bytes: z.int(),
    error_code: z.string(),
    error_message: z.string(),
    completed_at: z.string(),
    expires_at: z.string(),
    next_run_at: z.string(),
    last_run_at: z.string(),
    last_run_status: z.string().meta({ examples: ['succeeded'], ...notShown('All values.') }),
    created_at: z.string(),
    updated_at: z.string(),
    parameters: z.record(z.string(), z.string()),
  })
  .partial()
  .meta({ id: 'ReportSchedule', description: 'Section 2.2.', ...REQUIRED });

export const UpdateScheduleRequest = z
  .object({
    id: z.string(),
    status: z.string().meta({ examples: ['active'], ...notShown('All values.') }),
    schedule_type: z.string().meta({ examples: ['daily'], ...notShown('All values.') }),
    notification_email: z.string(),
  })
  .partial()
  .meta(REQUIRED);

export const AssociateMerchantRequest = z
  .object({
    action: z.string().meta({ examples: ['reactivate'], ...notShown('Other values.') }),
    merchantId: z.string(),
  })
  .partial()
  .meta(REQUIRED);

export const AssociateMerchantReply = z.looseObject({ message: z.string() });

export const ScheduledTransfer = z
  .looseObject({
    id: z.string(),
    merchantAccount: z.string(),
    currency: z.string(),
    schedule: z.string(),
    status: z.string().meta(notShown('Its values.')),
  })
  .partial()
  .meta({ id: 'ScheduledTransfer', description: 'Section 2.3.', ...REQUIRED });

export const ScheduledTransfersRequest = z
  .object({
    request_id: z.string(),
    data: z.array(
      z
        .object({
          schedule_transfer_id: z.string(),
          currency: z.string(),
          schedule: z.string().meta({ description: 'A cron expression.' }),
          description: z.string(),
          refrence: z.string().meta({ description: 'Spelled so.' }),
        })
        .partial(),
    ),
  })
  .partial()
  .meta(notShown('What a body does on this request.'));

export const ScheduledTransfersReply = z.array(ScheduledTransfer);

export const PartnerAnalyticsRequest = z
  .object({
    partner_name: z.string(),
    timeframe: z
      .string()
      .optional()
      .meta({
        examples: ['weekly', 'monthly', 'quarterly', 'custom'],
        ...notShown('What happens when it is omitted.'),
      }),
    from_date: day().optional(),
    to_date: day().optional(),
  })
  .meta({ description: 'custom needs both dates, at most 90 days.' });

export const PartnerAnalyticsReply = z.looseObject({
  success: z.boolean().optional(),
  data: z.record(z.string(), z.unknown()).meta(notShown('Names of the metrics.')),
});

const SplitFee = z
  .object({
    partner_merchant_id: z.int(),
    type_id: z.int(),
    value: z.number(),
    value_type: z.string().meta({ examples: ['amount'], ...notShown('Other values.') }),
  })
  .meta({ id: 'SplitFee' });

export const CreateCheckoutSessionRequest = z
  .object({
    host: z.string(),
    merchant_id: z.int(),
    order_id: z.int(),
    customer_id: z.string(),
    provider: z.string(),
    email: z.string(),
    phoneNumber: z.string(),
    name: z.string(),
    Amount: z.string().meta({ description: 'Decimal amount.' }),
    AvsHouseNumber: z.string(),
    AvsPostcode: z.string(),
    MerchantReference: z.string(),
    RedirectUrl: z.string(),
    CancelUrl: z.string(),
    WebhookUrl: z.string(),
    backurl: z.string(),
    firstname: z.string(),
    lastname: z.string(),
    flat: z.string(),
    address1: z.string(),
    address2: z.string(),
    SplitFee: z.array(SplitFee),
  })
  .partial()
  .meta(REQUIRED);

export const CheckoutSession = z.looseObject({ session_id: z.string() });

export const CreateWebhookRequest = z
  .object({
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()).meta(notShown('Names of the events.')),
    hmac_key: z.string().meta({ description: 'Optional; made by the provider when omitted.' }),
  })
  .partial()
  .meta(REQUIRED);

export const CreateWebhookReply = z.looseObject({
  data: z.looseObject({
    webhook_id: z.string(),
    hmac_key: z.string().meta({ description: 'In full in this answer only.' }),
  }),
});

export const TestWebhookRequest = z
  .object({ webhookId: z.string(), resellerId: z.int() })
  .partial()
  .meta(REQUIRED);

export const TestWebhookReply = z.looseObject({
  data: z.looseObject({ status_code: z.int(), response: z.string() }).partial(),
});
