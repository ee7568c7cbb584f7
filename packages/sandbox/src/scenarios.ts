/** What a test card does. The number starts with 9, which no card scheme uses. */
export type Scenario = Approval | Decline | Challenge | Expiry;

interface ScenarioBase {
  /** Kebab case. */
  readonly name: string;
  /** 16 digits that pass the Luhn check. */
  readonly cardNumber: string;
  /** Two or three words for the list of test cards. */
  readonly title: string;
  /** What happens, in one sentence. */
  readonly description: string;
  /** How long the answer takes. Default 0. */
  readonly takesSeconds?: number;
}

/** The card is approved. */
export interface Approval extends ScenarioBase {
  readonly decision: 'approve';
  /** How long the transaction list hides the payment. Default 0. */
  readonly listedAfterSeconds?: number;
  /** How many times the webhook is sent. Default 1. */
  readonly webhooks?: number;
  /** Whether the shopper is sent to `RedirectUrl`. Default true. */
  readonly redirects?: boolean;
}

/** The card is declined; another card can pay the session. */
export interface Decline extends ScenarioBase {
  readonly decision: 'decline';
  /** What the form says. */
  readonly message: string;
}

/** The bank asks for a code: the right one approves, a wrong one declines. */
export interface Challenge extends ScenarioBase {
  readonly decision: 'challenge';
}

/** The session ends before the card is charged. */
export interface Expiry extends ScenarioBase {
  readonly decision: 'expire';
}

/** Every scenario, in the order of the list of test cards. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'approved',
    cardNumber: '9000000000000001',
    title: 'Approved',
    description: 'The card is approved.',
    decision: 'approve',
  },
  {
    name: 'declined',
    cardNumber: '9000000000000019',
    title: 'Declined',
    description: 'The card is declined. Another card can pay the same session.',
    decision: 'decline',
    message: 'The card was declined. Nothing was charged: try another card.',
  },
  {
    name: 'challenged',
    cardNumber: '9000000000000027',
    title: 'Asks for a code',
    description: 'The bank asks for a code: the right one approves, a wrong one declines.',
    decision: 'challenge',
  },
  {
    name: 'listed-late',
    cardNumber: '9000000000000035',
    title: 'Listed late',
    description: 'Approved, but the transaction list shows it only after 20 seconds.',
    decision: 'approve',
    listedAfterSeconds: 20,
  },
  {
    name: 'never-returns',
    cardNumber: '9000000000000043',
    title: 'Never returns',
    description: 'Approved, but the shopper is not sent back, as when the tab crashes.',
    decision: 'approve',
    redirects: false,
  },
  {
    name: 'webhook-twice',
    cardNumber: '9000000000000050',
    title: 'Webhook twice',
    description: 'Approved, and the webhook is delivered twice.',
    decision: 'approve',
    webhooks: 2,
  },
  {
    name: 'webhook-missing',
    cardNumber: '9000000000000068',
    title: 'No webhook',
    description: 'Approved, but no webhook is sent.',
    decision: 'approve',
    webhooks: 0,
  },
  {
    name: 'slow',
    cardNumber: '9000000000000076',
    title: 'Slow',
    description: 'Approved after 4 seconds.',
    decision: 'approve',
    takesSeconds: 4,
  },
  {
    name: 'expired',
    cardNumber: '9000000000000084',
    title: 'Session expired',
    description: 'The session expires when the card is submitted. It can never be paid.',
    decision: 'expire',
  },
];
