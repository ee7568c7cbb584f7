/** A partner whose analytics can be asked for (spec 4.5). Other names get 403. */
export interface AnalyticsPartner {
  /** `partner_name`, compared exactly. */
  readonly name: string;
  /** `success` of the answer. Default true. */
  readonly success?: boolean;
  /** A partner with nothing to show: zeros and an empty series. Default false. */
  readonly isQuiet?: boolean;
}

/** The invented partners of a sandbox that was given none. */
export const DEFAULT_PARTNERS: readonly AnalyticsPartner[] = [
  { name: 'harbour-lane' },
  { name: 'quiet-harbour', isQuiet: true },
  { name: 'broken-harbour', success: false },
];
