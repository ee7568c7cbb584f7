/** What the console's forms call the fields of an operation, and how it groups them. */

export interface FormGroup {
  /** Without one the fields stand alone. */
  readonly title?: string;
  readonly hint?: string;
  readonly fields: readonly string[];
  /** Unfolded by the person, or when the address has one of its fields. */
  readonly isFolded?: boolean;
  /** Where the page's script shows what it works out from these fields. */
  readonly outputId?: string;
}

export interface FormLayout {
  readonly operation: string;
  readonly groups: readonly FormGroup[];
  /** Fields of the operation that the page has in another place, or does not send. */
  readonly leftOut?: readonly string[];
  /** Without the provider's names of the fields. */
  readonly isPlain?: boolean;
  /** For fields of `rows`: what one of them is called. */
  readonly rowName?: string;
}

export interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  /** `id` of a list of suggestions that the page fills. */
  readonly list?: string;
  readonly type?: 'email' | 'url' | 'tel' | 'password';
  readonly placeholder?: string;
  /** What stands in it at the beginning. */
  readonly value?: string;
  /**
   * The usual values and their words; the first one stands at the beginning. Examples of the provider
   * that are not among them are offered under their own names.
   */
  readonly options?: readonly (readonly [value: string, words: string])[];
  /** Hidden until the page's script shows it. */
  readonly isHidden?: boolean;
}

/**
 * A field that is not here has its own name as its label. Names within rows are `SplitFee.value`; a name
 * after its operation stands for the form of that operation alone.
 */
export const FIELD_WORDS: Readonly<Record<string, FieldWords>> = {
  merchant_id: { label: 'Merchant', list: 'merchants' },
  order_id: { label: 'Order number' },
  Amount: { label: 'Amount', hint: 'Such as 12.34.' },
  MerchantReference: { label: 'Reference', hint: 'The transaction carries it.' },
  provider: { label: 'Provider code' },
  customer_id: { label: 'Customer' },
  email: { label: 'E-mail', type: 'email' },
  phoneNumber: { label: 'Phone', type: 'tel' },
  name: { label: 'Full name' },
  firstname: { label: 'First name' },
  lastname: { label: 'Last name' },
  flat: { label: 'Flat' },
  address1: { label: 'Address line 1' },
  address2: { label: 'Address line 2' },
  AvsHouseNumber: { label: 'House number' },
  AvsPostcode: { label: 'Postcode' },
  host: { label: 'Address of the shop', type: 'url' },
  RedirectUrl: { label: 'After paying', type: 'url' },
  CancelUrl: { label: 'After cancelling', type: 'url' },
  backurl: { label: 'Back button', type: 'url' },
  WebhookUrl: { label: 'Webhook', hint: 'The provider’s servers send to it.', type: 'url' },
  url: { label: 'Address', hint: 'Where the provider sends its deliveries.', type: 'url' },
  description: { label: 'Description' },
  events: {
    label: 'Events',
    hint: 'Names, separated by commas. The provider’s document lists none.',
  },
  hmac_key: {
    label: 'Your own key',
    hint: 'Leave it empty, and the provider generates one.',
    type: 'password',
  },
  webhookId: { label: 'Webhook', hint: 'The identifier from when it was created.' },
  'webhooks.test.resellerId': { label: 'Reseller' },
  id: { label: 'Schedule', list: 'schedules' },
  'reports.updateSchedule.status': { label: 'Status' },
  schedule_type: { label: 'How often' },
  notification_email: { label: 'E-mail for notifications', type: 'email' },
  action: {
    label: 'Action',
    hint: 'The provider’s document shows only reactivate.',
    value: 'reactivate',
  },
  'merchants.associate.merchantId': { label: 'Merchant', list: 'merchants' },
  request_id: { label: 'Request' },
  'data.schedule_transfer_id': { label: 'Transfer' },
  'data.currency': { label: 'Currency' },
  'data.schedule': { label: 'Schedule', placeholder: '30 6 * * 1-5' },
  'data.description': { label: 'Description' },
  'data.refrence': { label: 'Reference' },
  partner_name: { label: 'Partner name', list: 'partners' },
  timeframe: {
    label: 'Timeframe',
    options: [
      ['monthly', 'Monthly'],
      ['weekly', 'Weekly'],
      ['quarterly', 'Quarterly'],
      ['custom', 'Custom'],
      ['', 'Provider’s default'],
    ],
  },
  from_date: { label: 'First day', isHidden: true },
  to_date: { label: 'Last day', isHidden: true },
  fromDate: { label: 'First day' },
  toDate: { label: 'Last day' },
  status: {
    label: 'Status',
    options: [
      ['', 'Any'],
      ['SUCCESS', 'Succeeded'],
      ['REFUND', 'Refunded'],
      ['SUCCESS,REFUND', 'Succeeded or refunded'],
    ],
  },
  merchantId: { label: 'Merchant', list: 'merchants', placeholder: 'Any' },
  resellerId: { label: 'Reseller', placeholder: 'Any' },
  timezone: { label: 'Time zone of the days', list: 'zones', placeholder: 'Provider’s default' },
  limit: {
    label: 'Rows per page',
    options: [
      ['', '50'],
      ['100', '100'],
      ['500', '500'],
    ],
  },
  'SplitFee.partner_merchant_id': { label: 'Partner' },
  'SplitFee.type_id': { label: 'Type' },
  'SplitFee.value': { label: 'Value' },
  'SplitFee.value_type': { label: 'Kind', list: 'value-types' },
};

/** The forms of the pages, by the name in `<!-- console form: name -->`. */
export const FORM_LAYOUTS: Readonly<Record<string, FormLayout>> = {
  'checkout-session': {
    operation: 'checkoutSessions.create',
    rowName: 'share',
    groups: [
      {
        title: 'Payment',
        fields: ['merchant_id', 'order_id', 'Amount', 'MerchantReference', 'provider'],
      },
      {
        title: 'Split',
        hint: 'What others receive of the amount; the merchant has what is left.',
        fields: ['SplitFee'],
        outputId: 'split-total',
      },
      {
        title: 'Shopper',
        fields: ['firstname', 'lastname', 'name', 'email', 'phoneNumber', 'customer_id'],
      },
      {
        title: 'Address check (AVS)',
        hint: 'The card’s bank compares house number and postcode with its records.',
        fields: ['address1', 'address2', 'flat', 'AvsHouseNumber', 'AvsPostcode'],
        outputId: 'avs-check',
      },
      {
        title: 'Addresses',
        fields: ['RedirectUrl', 'CancelUrl', 'backurl', 'host', 'WebhookUrl'],
      },
    ],
  },
  analytics: {
    operation: 'analytics.partner',
    isPlain: true,
    groups: [{ fields: ['partner_name', 'timeframe', 'from_date', 'to_date'] }],
  },
  transactions: {
    operation: 'transactions.list',
    isPlain: true,
    leftOut: ['cursor'],
    groups: [
      { fields: ['fromDate', 'toDate', 'status', 'merchantId'] },
      { title: 'More filters', isFolded: true, fields: ['resellerId', 'timezone', 'limit'] },
    ],
  },
  webhook: {
    operation: 'webhooks.create',
    groups: [{ fields: ['url', 'description', 'events', 'hmac_key'] }],
  },
  'webhook-test': {
    operation: 'webhooks.test',
    groups: [{ fields: ['webhookId', 'resellerId'] }],
  },
  'report-schedule': {
    operation: 'reports.updateSchedule',
    groups: [{ fields: ['id', 'status', 'schedule_type', 'notification_email'] }],
  },
  'signup-link': {
    operation: 'merchants.associate',
    groups: [{ fields: ['merchantId', 'action'] }],
  },
  'transfers-body': {
    operation: 'scheduledTransfers.list',
    rowName: 'transfer',
    groups: [{ fields: ['request_id', 'data'], outputId: 'schedule-words' }],
  },
};
