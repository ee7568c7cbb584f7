import { toMinor } from './money.js';

/** What a test card does. The number starts with 9, which no card scheme uses. */
export type Scenario = Approval | Decline | Challenge | Expiry | Leaving;

/** What the scenarios of one group have in common, in the order of the list of test cards. */
export const SCENARIO_GROUPS = [
  'Paid',
  'Declined',
  'Address check',
  '3-D Secure',
  'Wrong',
  'Webhooks',
] as const;

/** How the address that was sent compares with that of the card (AVS). */
export type AddressCheck = 'full' | 'partial' | 'none';

interface ScenarioBase {
  /** Kebab case. For a decline also its reason. */
  readonly name: string;
  /** 16 digits that pass the Luhn check. The digits before the last choose {@link triggersOf}. */
  readonly cardNumber: string;
  /** Two or three words for the list of test cards. */
  readonly title: string;
  /** What happens, in one sentence. */
  readonly description: string;
  /** Default `Paid`. */
  readonly group?: (typeof SCENARIO_GROUPS)[number];
  /** How long the answer takes. Default 0. */
  readonly takesSeconds?: number;
  /** What the bank finds of the address. Default not checked. */
  readonly addressCheck?: AddressCheck;
}

/** The card is approved. */
export interface Approval extends ScenarioBase, Partial<ApprovedPayment> {
  readonly decision: 'approve';
}

/** How an approved payment differs from the plain one. */
export interface ApprovedPayment {
  /** How long the transaction list hides the payment. Default 0. */
  readonly listedAfterSeconds: number;
  /** How many times the webhook is sent. Default 1. */
  readonly webhooks: number;
  /** How late the webhook is sent. Default `webhookDelaySeconds`. */
  readonly webhookAfterSeconds: number;
  /** Whether the shopper is sent to `RedirectUrl`. Default true. */
  readonly redirects: boolean;
  /** How many transactions the one payment makes. Default 1. */
  readonly transactions: number;
  /** `amount` is half of `Amount`. Default false. */
  readonly paysHalf: boolean;
  /** `currencyCode` is not that of the merchant. Default false. */
  readonly paysOtherCurrency: boolean;
}

/** The card is declined; another card can pay the session. */
export interface Decline extends ScenarioBase {
  readonly decision: 'decline';
  /** What the form says. */
  readonly message: string;
  /** How late the webhook is sent. Default `webhookDelaySeconds`. */
  readonly webhookAfterSeconds?: number;
  /** Whether a forged webhook says that it is paid. Default false. */
  readonly forgesPayment?: boolean;
}

/** The bank asks for a code: the right one approves, a wrong one declines. */
export interface Challenge extends ScenarioBase {
  readonly decision: 'challenge';
  /** The shopper answers elsewhere, as in the app of the bank. Default: with the code. */
  readonly elsewhere?: {
    readonly afterSeconds: number;
    /** Why the card is declined. Default: it is approved. */
    readonly message?: string;
  };
}

/** The session ends before the card is charged. */
export interface Expiry extends ScenarioBase {
  readonly decision: 'expire';
  /** The session is paid all the same, so much later. Default never. */
  readonly paidAfterSeconds?: number;
}

/** The shopper goes to `CancelUrl`. */
export interface Leaving extends ScenarioBase {
  readonly decision: 'leave';
  /** The session is paid all the same, so much later. */
  readonly paidAfterSeconds: number;
}

/** What else selects a scenario: that of card `9000…0118` has the amount 9011 and `ZZ11 9ZZ`. */
export function triggersOf({ cardNumber }: Scenario): { amount: string; postcode: string } {
  const number = Number(cardNumber.slice(-4, -1));
  return { amount: String(9000 + number), postcode: `ZZ${number} 9ZZ` };
}

/** The scenario of a session: that of its card, or with the approved card that of amount or postcode. */
export function chooseScenario(
  ofCard: Scenario,
  request: { readonly Amount: string; readonly AvsPostcode?: string | undefined },
  scenarios: readonly Scenario[],
): Scenario {
  if (ofCard.name !== 'approved') return ofCard;
  const postcode = bare(request.AvsPostcode ?? '');
  const others = scenarios.filter(({ name }) => name !== 'approved');
  return (
    others.find((each) => minor(triggersOf(each).amount) === minor(request.Amount)) ??
    others.find((each) => bare(triggersOf(each).postcode) === postcode) ??
    ofCard
  );
}

function minor(amount: string): bigint | undefined {
  return toMinor(amount, 8);
}

function bare(postcode: string): string {
  return postcode.replaceAll(/\s/g, '').toUpperCase();
}
