// Made from src/contract by `pnpm generate`; do not edit. It checks what zod would check.
import type { DriftSink } from '../http/drift.js';

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tellUnknown(
  value: Fields,
  known: ReadonlySet<string>,
  at: string,
  drift: DriftSink,
): void {
  for (const name of Object.keys(value)) if (!known.has(name)) drift.unknownField(at, name);
}

const KNOWN_TRANSACTION_PAGE: ReadonlySet<string> = new Set(['data', 'pagination']);

const KNOWN_TRANSACTION_PAGE_DATA: ReadonlySet<string> = new Set(['transactions', 'timezone']);

const KNOWN_TRANSACTION: ReadonlySet<string> = new Set([
  'id',
  'source',
  'transactionTime',
  'orderRef',
  'amount',
  'currencyCode',
  'status',
  'merchantId',
  'merchantName',
  'paymentMethod',
  'transactionModeId',
  'internalReference',
  'pspReference',
  'last4Digits',
  'shopperId',
  'service_fee',
  'firstname',
  'lastname',
  'resellerOrderId',
  'customerType',
  'net',
  'deductions',
  'amountRefunded',
]);

function checkFieldsOfTransaction(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const id = value['id'];
  if (id !== undefined) {
    known += 1;
    if (typeof id !== 'string') drift.unexpectedType(`${at}.id`, 'text', id);
  }
  const source = value['source'];
  if (source !== undefined) {
    known += 1;
    if (typeof source !== 'string') drift.unexpectedType(`${at}.source`, 'text', source);
  }
  const transactionTime = value['transactionTime'];
  if (transactionTime !== undefined) {
    known += 1;
    if (typeof transactionTime !== 'string')
      drift.unexpectedType(`${at}.transactionTime`, 'text', transactionTime);
  }
  const orderRef = value['orderRef'];
  if (orderRef !== undefined) {
    known += 1;
    if (typeof orderRef !== 'string') drift.unexpectedType(`${at}.orderRef`, 'text', orderRef);
  }
  const amount = value['amount'];
  if (amount !== undefined) {
    known += 1;
    if (!Number.isFinite(amount)) drift.unexpectedType(`${at}.amount`, 'number', amount);
  }
  const currencyCode = value['currencyCode'];
  if (currencyCode !== undefined) {
    known += 1;
    if (typeof currencyCode !== 'string')
      drift.unexpectedType(`${at}.currencyCode`, 'text', currencyCode);
  }
  const status = value['status'];
  if (status !== undefined) {
    known += 1;
    if (typeof status !== 'string') drift.unexpectedType(`${at}.status`, 'text', status);
  }
  const merchantId = value['merchantId'];
  if (merchantId !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(merchantId))
      drift.unexpectedType(`${at}.merchantId`, 'whole number', merchantId);
  }
  const merchantName = value['merchantName'];
  if (merchantName !== undefined) {
    known += 1;
    if (typeof merchantName !== 'string')
      drift.unexpectedType(`${at}.merchantName`, 'text', merchantName);
  }
  const paymentMethod = value['paymentMethod'];
  if (paymentMethod !== undefined) {
    known += 1;
    if (typeof paymentMethod !== 'string')
      drift.unexpectedType(`${at}.paymentMethod`, 'text', paymentMethod);
  }
  const transactionModeId = value['transactionModeId'];
  if (transactionModeId !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(transactionModeId))
      drift.unexpectedType(`${at}.transactionModeId`, 'whole number', transactionModeId);
  }
  const internalReference = value['internalReference'];
  if (internalReference !== undefined) {
    known += 1;
    if (typeof internalReference !== 'string')
      drift.unexpectedType(`${at}.internalReference`, 'text', internalReference);
  }
  const pspReference = value['pspReference'];
  if (pspReference !== undefined) {
    known += 1;
    if (typeof pspReference !== 'string')
      drift.unexpectedType(`${at}.pspReference`, 'text', pspReference);
  }
  const last4Digits = value['last4Digits'];
  if (last4Digits !== undefined) {
    known += 1;
    if (typeof last4Digits !== 'string')
      drift.unexpectedType(`${at}.last4Digits`, 'text', last4Digits);
  }
  const shopperId = value['shopperId'];
  if (shopperId !== undefined) {
    known += 1;
    if (typeof shopperId !== 'string') drift.unexpectedType(`${at}.shopperId`, 'text', shopperId);
  }
  const service_fee = value['service_fee'];
  if (service_fee !== undefined) {
    known += 1;
    if (!Number.isFinite(service_fee))
      drift.unexpectedType(`${at}.service_fee`, 'number', service_fee);
  }
  const firstname = value['firstname'];
  if (firstname !== undefined) {
    known += 1;
    if (typeof firstname !== 'string') drift.unexpectedType(`${at}.firstname`, 'text', firstname);
  }
  const lastname = value['lastname'];
  if (lastname !== undefined) {
    known += 1;
    if (typeof lastname !== 'string') drift.unexpectedType(`${at}.lastname`, 'text', lastname);
  }
  const resellerOrderId = value['resellerOrderId'];
  if (resellerOrderId !== undefined) {
    known += 1;
    if (typeof resellerOrderId !== 'string')
      drift.unexpectedType(`${at}.resellerOrderId`, 'text', resellerOrderId);
  }
  const customerType = value['customerType'];
  if (customerType !== undefined) {
    known += 1;
    if (typeof customerType !== 'string')
      drift.unexpectedType(`${at}.customerType`, 'text', customerType);
  }
  const net = value['net'];
  if (net !== undefined) {
    known += 1;
    if (!Number.isFinite(net)) drift.unexpectedType(`${at}.net`, 'number', net);
  }
  const deductions = value['deductions'];
  if (deductions !== undefined) {
    known += 1;
    if (!Number.isFinite(deductions))
      drift.unexpectedType(`${at}.deductions`, 'number', deductions);
  }
  const amountRefunded = value['amountRefunded'];
  if (amountRefunded !== undefined) {
    known += 1;
    if (!Number.isFinite(amountRefunded))
      drift.unexpectedType(`${at}.amountRefunded`, 'number', amountRefunded);
  }
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_TRANSACTION, at, drift);
}

function checkFieldsOfTransactionPageData(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const transactions = value['transactions'];
  if (transactions !== undefined) {
    known += 1;
    if (Array.isArray(transactions)) {
      const place = `${at}.transactions[]`;
      for (const item of transactions as unknown[]) {
        checkFieldsOfTransaction(item, place, drift);
      }
    } else drift.unexpectedType(`${at}.transactions`, 'list', transactions);
  } else drift.unexpectedType(`${at}.transactions`, 'list', undefined);
  const timezone = value['timezone'];
  if (timezone !== undefined) {
    known += 1;
    if (typeof timezone !== 'string') drift.unexpectedType(`${at}.timezone`, 'text', timezone);
  }
  if (Object.keys(value).length !== known)
    tellUnknown(value, KNOWN_TRANSACTION_PAGE_DATA, at, drift);
}

const KNOWN_TRANSACTION_PAGE_PAGINATION: ReadonlySet<string> = new Set(['hasMore', 'nextCursor']);

function checkFieldsOfTransactionPagePagination(
  value: unknown,
  at: string,
  drift: DriftSink,
): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const hasMore = value['hasMore'];
  if (hasMore !== undefined) {
    known += 1;
    if (typeof hasMore !== 'boolean') drift.unexpectedType(`${at}.hasMore`, 'boolean', hasMore);
  } else drift.unexpectedType(`${at}.hasMore`, 'boolean', undefined);
  const nextCursor = value['nextCursor'];
  if (nextCursor !== undefined) {
    known += 1;
    if (typeof nextCursor !== 'string')
      drift.unexpectedType(`${at}.nextCursor`, 'text', nextCursor);
  }
  if (Object.keys(value).length !== known)
    tellUnknown(value, KNOWN_TRANSACTION_PAGE_PAGINATION, at, drift);
}

function checkFieldsOfTransactionPage(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const data = value['data'];
  if (data !== undefined) {
    known += 1;
    checkFieldsOfTransactionPageData(data, `${at}.data`, drift);
  } else drift.unexpectedType(`${at}.data`, 'object', undefined);
  const pagination = value['pagination'];
  if (pagination !== undefined) {
    known += 1;
    checkFieldsOfTransactionPagePagination(pagination, `${at}.pagination`, drift);
  } else drift.unexpectedType(`${at}.pagination`, 'object', undefined);
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_TRANSACTION_PAGE, at, drift);
}

export function checkTransactionPage(body: unknown, drift: DriftSink): void {
  checkFieldsOfTransactionPage(body, '', drift);
}

const KNOWN_REPORT_SCHEDULE: ReadonlySet<string> = new Set([
  'id',
  'reseller_id',
  'merchant_id',
  'merchant_name',
  'report_type',
  'schedule_type',
  'cadence',
  'status',
  'run_status',
  'from_date',
  'to_date',
  'email',
  'notification_email',
  'requested_by',
  'download_url',
  'row_count',
  'file_size_bytes',
  'error_code',
  'error_message',
  'completed_at',
  'expires_at',
  'next_run_at',
  'last_run_at',
  'last_run_status',
  'created_at',
  'updated_at',
  'parameters',
]);

function checkFieldsOfReportScheduleParameters(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  const place = `${at}{}`;
  for (const item of Object.values(value)) {
    if (typeof item !== 'string') drift.unexpectedType(place, 'text', item);
  }
}

function checkFieldsOfReportSchedule(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const id = value['id'];
  if (id !== undefined) {
    known += 1;
    if (typeof id !== 'string') drift.unexpectedType(`${at}.id`, 'text', id);
  }
  const reseller_id = value['reseller_id'];
  if (reseller_id !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(reseller_id))
      drift.unexpectedType(`${at}.reseller_id`, 'whole number', reseller_id);
  }
  const merchant_id = value['merchant_id'];
  if (merchant_id !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(merchant_id))
      drift.unexpectedType(`${at}.merchant_id`, 'whole number', merchant_id);
  }
  const merchant_name = value['merchant_name'];
  if (merchant_name !== undefined) {
    known += 1;
    if (typeof merchant_name !== 'string')
      drift.unexpectedType(`${at}.merchant_name`, 'text', merchant_name);
  }
  const report_type = value['report_type'];
  if (report_type !== undefined) {
    known += 1;
    if (typeof report_type !== 'string')
      drift.unexpectedType(`${at}.report_type`, 'text', report_type);
  }
  const schedule_type = value['schedule_type'];
  if (schedule_type !== undefined) {
    known += 1;
    if (typeof schedule_type !== 'string')
      drift.unexpectedType(`${at}.schedule_type`, 'text', schedule_type);
  }
  const cadence = value['cadence'];
  if (cadence !== undefined) {
    known += 1;
    if (typeof cadence !== 'string') drift.unexpectedType(`${at}.cadence`, 'text', cadence);
  }
  const status = value['status'];
  if (status !== undefined) {
    known += 1;
    if (typeof status !== 'string') drift.unexpectedType(`${at}.status`, 'text', status);
  }
  const run_status = value['run_status'];
  if (run_status !== undefined) {
    known += 1;
    if (typeof run_status !== 'string')
      drift.unexpectedType(`${at}.run_status`, 'text', run_status);
  }
  const from_date = value['from_date'];
  if (from_date !== undefined) {
    known += 1;
    if (typeof from_date !== 'string') drift.unexpectedType(`${at}.from_date`, 'text', from_date);
  }
  const to_date = value['to_date'];
  if (to_date !== undefined) {
    known += 1;
    if (typeof to_date !== 'string') drift.unexpectedType(`${at}.to_date`, 'text', to_date);
  }
  const email = value['email'];
  if (email !== undefined) {
    known += 1;
    if (typeof email !== 'string') drift.unexpectedType(`${at}.email`, 'text', email);
  }
  const notification_email = value['notification_email'];
  if (notification_email !== undefined) {
    known += 1;
    if (typeof notification_email !== 'string')
      drift.unexpectedType(`${at}.notification_email`, 'text', notification_email);
  }
  const requested_by = value['requested_by'];
  if (requested_by !== undefined) {
    known += 1;
    if (typeof requested_by !== 'string')
      drift.unexpectedType(`${at}.requested_by`, 'text', requested_by);
  }
  const download_url = value['download_url'];
  if (download_url !== undefined) {
    known += 1;
    if (typeof download_url !== 'string')
      drift.unexpectedType(`${at}.download_url`, 'text', download_url);
  }
  const row_count = value['row_count'];
  if (row_count !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(row_count))
      drift.unexpectedType(`${at}.row_count`, 'whole number', row_count);
  }
  const file_size_bytes = value['file_size_bytes'];
  if (file_size_bytes !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(file_size_bytes))
      drift.unexpectedType(`${at}.file_size_bytes`, 'whole number', file_size_bytes);
  }
  const error_code = value['error_code'];
  if (error_code !== undefined) {
    known += 1;
    if (typeof error_code !== 'string')
      drift.unexpectedType(`${at}.error_code`, 'text', error_code);
  }
  const error_message = value['error_message'];
  if (error_message !== undefined) {
    known += 1;
    if (typeof error_message !== 'string')
      drift.unexpectedType(`${at}.error_message`, 'text', error_message);
  }
  const completed_at = value['completed_at'];
  if (completed_at !== undefined) {
    known += 1;
    if (typeof completed_at !== 'string')
      drift.unexpectedType(`${at}.completed_at`, 'text', completed_at);
  }
  const expires_at = value['expires_at'];
  if (expires_at !== undefined) {
    known += 1;
    if (typeof expires_at !== 'string')
      drift.unexpectedType(`${at}.expires_at`, 'text', expires_at);
  }
  const next_run_at = value['next_run_at'];
  if (next_run_at !== undefined) {
    known += 1;
    if (typeof next_run_at !== 'string')
      drift.unexpectedType(`${at}.next_run_at`, 'text', next_run_at);
  }
  const last_run_at = value['last_run_at'];
  if (last_run_at !== undefined) {
    known += 1;
    if (typeof last_run_at !== 'string')
      drift.unexpectedType(`${at}.last_run_at`, 'text', last_run_at);
  }
  const last_run_status = value['last_run_status'];
  if (last_run_status !== undefined) {
    known += 1;
    if (typeof last_run_status !== 'string')
      drift.unexpectedType(`${at}.last_run_status`, 'text', last_run_status);
  }
  const created_at = value['created_at'];
  if (created_at !== undefined) {
    known += 1;
    if (typeof created_at !== 'string')
      drift.unexpectedType(`${at}.created_at`, 'text', created_at);
  }
  const updated_at = value['updated_at'];
  if (updated_at !== undefined) {
    known += 1;
    if (typeof updated_at !== 'string')
      drift.unexpectedType(`${at}.updated_at`, 'text', updated_at);
  }
  const parameters = value['parameters'];
  if (parameters !== undefined) {
    known += 1;
    checkFieldsOfReportScheduleParameters(parameters, `${at}.parameters`, drift);
  }
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_REPORT_SCHEDULE, at, drift);
}

export function checkReportSchedule(body: unknown, drift: DriftSink): void {
  checkFieldsOfReportSchedule(body, '', drift);
}

const KNOWN_MERCHANT_ASSOCIATION: ReadonlySet<string> = new Set(['message']);

function checkFieldsOfMerchantAssociation(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const message = value['message'];
  if (message !== undefined) {
    known += 1;
    if (typeof message !== 'string') drift.unexpectedType(`${at}.message`, 'text', message);
  } else drift.unexpectedType(`${at}.message`, 'text', undefined);
  if (Object.keys(value).length !== known)
    tellUnknown(value, KNOWN_MERCHANT_ASSOCIATION, at, drift);
}

export function checkMerchantAssociation(body: unknown, drift: DriftSink): void {
  checkFieldsOfMerchantAssociation(body, '', drift);
}

const KNOWN_SCHEDULED_TRANSFER: ReadonlySet<string> = new Set([
  'id',
  'merchantAccount',
  'currency',
  'schedule',
  'status',
]);

function checkFieldsOfScheduledTransfer(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const id = value['id'];
  if (id !== undefined) {
    known += 1;
    if (typeof id !== 'string') drift.unexpectedType(`${at}.id`, 'text', id);
  }
  const merchantAccount = value['merchantAccount'];
  if (merchantAccount !== undefined) {
    known += 1;
    if (typeof merchantAccount !== 'string')
      drift.unexpectedType(`${at}.merchantAccount`, 'text', merchantAccount);
  }
  const currency = value['currency'];
  if (currency !== undefined) {
    known += 1;
    if (typeof currency !== 'string') drift.unexpectedType(`${at}.currency`, 'text', currency);
  }
  const schedule = value['schedule'];
  if (schedule !== undefined) {
    known += 1;
    if (typeof schedule !== 'string') drift.unexpectedType(`${at}.schedule`, 'text', schedule);
  }
  const status = value['status'];
  if (status !== undefined) {
    known += 1;
    if (typeof status !== 'string') drift.unexpectedType(`${at}.status`, 'text', status);
  }
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_SCHEDULED_TRANSFER, at, drift);
}

export function checkScheduledTransfers(body: unknown, drift: DriftSink): void {
  if (Array.isArray(body)) {
    const place = '[]';
    for (const item of body as unknown[]) {
      checkFieldsOfScheduledTransfer(item, place, drift);
    }
  } else drift.unexpectedType('', 'list', body);
}

const KNOWN_PARTNER_ANALYTICS: ReadonlySet<string> = new Set(['success', 'data']);

function checkFieldsOfPartnerAnalyticsData(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
}

function checkFieldsOfPartnerAnalytics(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const success = value['success'];
  if (success !== undefined) {
    known += 1;
    if (typeof success !== 'boolean') drift.unexpectedType(`${at}.success`, 'boolean', success);
  }
  const data = value['data'];
  if (data !== undefined) {
    known += 1;
    checkFieldsOfPartnerAnalyticsData(data, `${at}.data`, drift);
  } else drift.unexpectedType(`${at}.data`, 'object', undefined);
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_PARTNER_ANALYTICS, at, drift);
}

export function checkPartnerAnalytics(body: unknown, drift: DriftSink): void {
  checkFieldsOfPartnerAnalytics(body, '', drift);
}

const KNOWN_CHECKOUT_SESSION: ReadonlySet<string> = new Set(['session_id']);

function checkFieldsOfCheckoutSession(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const session_id = value['session_id'];
  if (session_id !== undefined) {
    known += 1;
    if (typeof session_id !== 'string')
      drift.unexpectedType(`${at}.session_id`, 'text', session_id);
  } else drift.unexpectedType(`${at}.session_id`, 'text', undefined);
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_CHECKOUT_SESSION, at, drift);
}

export function checkCheckoutSession(body: unknown, drift: DriftSink): void {
  checkFieldsOfCheckoutSession(body, '', drift);
}

const KNOWN_CREATED_WEBHOOK: ReadonlySet<string> = new Set(['data']);

const KNOWN_CREATED_WEBHOOK_DATA: ReadonlySet<string> = new Set(['webhook_id', 'hmac_key']);

function checkFieldsOfCreatedWebhookData(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const webhook_id = value['webhook_id'];
  if (webhook_id !== undefined) {
    known += 1;
    if (typeof webhook_id !== 'string')
      drift.unexpectedType(`${at}.webhook_id`, 'text', webhook_id);
  } else drift.unexpectedType(`${at}.webhook_id`, 'text', undefined);
  const hmac_key = value['hmac_key'];
  if (hmac_key !== undefined) {
    known += 1;
    if (typeof hmac_key !== 'string') drift.unexpectedType(`${at}.hmac_key`, 'text', hmac_key);
  } else drift.unexpectedType(`${at}.hmac_key`, 'text', undefined);
  if (Object.keys(value).length !== known)
    tellUnknown(value, KNOWN_CREATED_WEBHOOK_DATA, at, drift);
}

function checkFieldsOfCreatedWebhook(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const data = value['data'];
  if (data !== undefined) {
    known += 1;
    checkFieldsOfCreatedWebhookData(data, `${at}.data`, drift);
  } else drift.unexpectedType(`${at}.data`, 'object', undefined);
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_CREATED_WEBHOOK, at, drift);
}

export function checkCreatedWebhook(body: unknown, drift: DriftSink): void {
  checkFieldsOfCreatedWebhook(body, '', drift);
}

const KNOWN_WEBHOOK_TEST: ReadonlySet<string> = new Set(['data']);

const KNOWN_WEBHOOK_TEST_DATA: ReadonlySet<string> = new Set(['status_code', 'response']);

function checkFieldsOfWebhookTestData(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const status_code = value['status_code'];
  if (status_code !== undefined) {
    known += 1;
    if (!Number.isSafeInteger(status_code))
      drift.unexpectedType(`${at}.status_code`, 'whole number', status_code);
  }
  const response = value['response'];
  if (response !== undefined) {
    known += 1;
    if (typeof response !== 'string') drift.unexpectedType(`${at}.response`, 'text', response);
  }
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_WEBHOOK_TEST_DATA, at, drift);
}

function checkFieldsOfWebhookTest(value: unknown, at: string, drift: DriftSink): void {
  if (!isObject(value)) return drift.unexpectedType(at, 'object', value);
  let known = 0;
  const data = value['data'];
  if (data !== undefined) {
    known += 1;
    checkFieldsOfWebhookTestData(data, `${at}.data`, drift);
  } else drift.unexpectedType(`${at}.data`, 'object', undefined);
  if (Object.keys(value).length !== known) tellUnknown(value, KNOWN_WEBHOOK_TEST, at, drift);
}

export function checkWebhookTest(body: unknown, drift: DriftSink): void {
  checkFieldsOfWebhookTest(body, '', drift);
}
