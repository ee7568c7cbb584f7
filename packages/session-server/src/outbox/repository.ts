import type { EventType } from '../checkouts/state-machine.js';

/** One message for a shop: stored with the change that it tells, sent until it is taken. */
export interface OutboxEvent {
  /** Sent as `webhook-id`: the same in each try, and after a redrive. */
  readonly id: string;
  readonly checkout: string;
  readonly merchant: string;
  readonly type: EventType;
  /** The JSON text that is signed and sent, the same in each try. */
  readonly body: string;
  /** How often it was sent without success. */
  readonly tries: number;
}

/** How many events a sender takes, and how many of them may be one shop's. */
export interface EventClaim {
  readonly limit: number;
  /** Events of one merchant that may be under way together, in all processes. */
  readonly perMerchant: number;
  /** Merchants whose shop answers: the others get one event at a time. Default: all. */
  readonly answeringMerchants?: ReadonlySet<string>;
  /**
   * How many of the events may be in doubt: of a merchant whose shop does not answer, or sent before
   * and not taken. Default: all.
   */
  readonly doubtfulLimit?: number;
  /** After this long a sender counts as dead, and its events are taken up again. */
  readonly leaseSeconds: number;
}

/** An event that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly merchant: string;
  readonly order: string;
  readonly checkout: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly createdAt: number;
}

/** Which dead events are meant: by their ids, of a merchant, or all. */
export interface DeadLetterFilter {
  readonly ids?: readonly string[] | undefined;
  readonly merchant?: string | undefined;
}

/** Which events are sent again when somebody asks for it. */
export interface RedeliverFilter extends DeadLetterFilter {
  /** Those that wait for their next try, too. Default: only dead ones. */
  readonly waiting?: boolean | undefined;
}

/** Whether an event may find its shop without an answer once more. */
export function isRetrying(
  { merchant, tries }: Pick<OutboxEvent, 'merchant' | 'tries'>,
  answeringMerchants: ReadonlySet<string> | undefined,
): boolean {
  return tries > 0 || answeringMerchants?.has(merchant) === false;
}

/** Events on their way to the shops. Each method is one atomic, durable step. */
export interface OutboxRepository {
  /**
   * Takes events to send, under a lease, so that two senders never send one at the same time.
   * Every merchant gets its turn, and the events of one checkout go out one at a time. What is due
   * for longest goes first, but the last place of a merchant, which may be its only one, is for an
   * event that was never sent, the newest one: so no number of orders whose events are not taken
   * holds up the news of another order.
   */
  claimEvents(claim: EventClaim): Promise<OutboxEvent[]>;
  markDelivered(event: string): Promise<void>;
  /** Not taken: again later, or never (`undefined`), and then it is dead. */
  markFailed(event: string, retryInSeconds: number | undefined): Promise<void>;
  /** When the next event falls due after now, in milliseconds since 1970. */
  nextEventAt(): Promise<number | undefined>;
  /** Events that were given up, oldest first. */
  findDeadLetters(filter: DeadLetterFilter, limit: number): Promise<DeadLetter[]>;
  /** Lets events be sent again at once, with all their tries; answers how many. */
  redeliverEvents(filter: RedeliverFilter): Promise<number>;
}
