/** What the operator's page reads, in types that it shares with the server. Times are ms since 1970. */

export interface SessionView {
  readonly actor: string;
  readonly expiresAt: number;
  readonly environment: string;
}

/** How much waits, and for how long. Counts stop at 10,000. */
export interface BacklogView {
  readonly watchedAttempts: number;
  readonly scheduledPollLateSeconds: number;
  readonly oldestReturnSeconds: number;
  readonly waitingWebhooks: number;
  readonly oldestWebhookSeconds: number;
  readonly unmatchedWebhooks: number;
  readonly waitingEvents: number;
  readonly oldestEventSeconds: number;
  readonly deadLetteredEvents: number;
  readonly orderIdShare: number;
  readonly pollersBackingOff: number;
  readonly backfillSeconds: number;
}

export interface HealthView {
  readonly version: string;
  readonly isWritable: boolean;
  readonly uptimeSeconds: number;
  readonly merchants: { readonly all: number; readonly disabled: number };
  readonly backlog: BacklogView;
}
