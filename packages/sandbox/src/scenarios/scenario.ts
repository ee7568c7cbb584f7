/** A story that one test card tells. The number starts with 9, which is no card scheme's. */
export type Scenario = Approval | Decline | Challenge | Expiry;

interface Story {
  /** Kebab case, the name of its file. */
  readonly name: string;
  /** 16 digits that pass the Luhn check. */
  readonly cardNumber: string;
  /** Two or three words for the list of test cards. */
  readonly title: string;
  /** One sentence: what happens. */
  readonly story: string;
  /** How long the answer takes. Default 0. */
  readonly takesSeconds?: number;
}

/** The card is approved. */
export interface Approval extends Story {
  readonly decision: 'approve';
  /** How long the list of transactions does not show it yet. Default 0. */
  readonly listedAfterSeconds?: number;
  /** How often the webhook is sent. Default once. */
  readonly webhooks?: number;
  /** Whether the shopper is sent to `RedirectUrl`. Default true. */
  readonly redirects?: boolean;
}

/** The card is declined; the session can be paid with another one. */
export interface Decline extends Story {
  readonly decision: 'decline';
  /** What the form says. */
  readonly message: string;
}

/** The bank asks for a code first: the right one approves, a wrong one declines. */
export interface Challenge extends Story {
  readonly decision: 'challenge';
}

/** The session ends before the card is asked. */
export interface Expiry extends Story {
  readonly decision: 'expire';
}
