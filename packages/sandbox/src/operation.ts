/** The operations of the provider's API (spec 4.1 to 4.8), in that order. */
export const OPERATIONS = [
  'transactions-list',
  'update-schedule',
  'merchant-association',
  'scheduled-transfers',
  'partner-analytics',
  'create-session',
  'create-webhook',
  'test-webhook',
] as const;

/** One of {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];
