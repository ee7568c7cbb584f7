import type { RequestHandler } from 'express';
import type { VirtualClock } from '../clock.js';
import type { Activity } from './activity.js';

/** What was done to a session or a transaction, by a page of the sandbox or a control route. */
export interface Action {
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  readonly by: 'page' | 'control';
  /** The last part of the address, such as `payments`, `challenge`, `pay`, `expire`, `refund`. */
  readonly action: string;
  readonly sessionId?: string;
  readonly transactionId?: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** What the answer says: the outcome of a payment, the state of a session, the status of a row. */
  readonly outcome?: string;
  /** Of the card that was submitted. */
  readonly scenario?: string;
  /** Why, in a sentence. */
  readonly message?: string;
  readonly amountRefunded?: string;
}

const MAX_ACTIONS = 10_000;
const TARGET = /\/(sessions|transactions)\/([^/]+)\/(\w+)\/?$/;

/** The latest actions, oldest first. */
export class ActionLog {
  readonly #clock: VirtualClock;
  readonly #activity: Activity;
  #actions: Action[] = [];

  constructor(clock: VirtualClock, activity: Activity) {
    this.#clock = clock;
    this.#activity = activity;
  }

  list(about: {
    readonly sessionId: string;
    readonly transactionIds: readonly string[];
  }): Action[] {
    return this.#actions.filter(
      ({ sessionId, transactionId }) =>
        sessionId === about.sessionId ||
        (transactionId !== undefined && about.transactionIds.includes(transactionId)),
    );
  }

  clear(): void {
    this.#actions = [];
  }

  /** Logs and announces what changes something. Of the bodies only what {@link Action} names is kept. */
  record(by: Action['by']): RequestHandler {
    return (request, response, next) => {
      if (request.method === 'GET') return next();
      const json = response.json.bind(response);
      let answer: unknown;
      response.json = (body) => json((answer = body));
      const [, kind, id = '', action = ''] = TARGET.exec(request.path) ?? [];
      const at = this.#clock.nowText();
      response.on('finish', () => {
        if (kind !== undefined) {
          this.#add({
            at,
            by,
            action,
            ...(kind === 'sessions' ? { sessionId: id } : { transactionId: id }),
            status: response.statusCode,
            ...scenarioOf(request.body),
            ...describe(answer),
          });
        }
        this.#activity.announce({ type: 'change' });
      });
      next();
    };
  }

  #add(action: Action): void {
    this.#actions.push(action);
    if (this.#actions.length > MAX_ACTIONS) this.#actions.shift();
  }
}

function scenarioOf(body: unknown): Pick<Action, 'scenario'> {
  const { scenario } = (body ?? {}) as Record<string, unknown>;
  return typeof scenario === 'string' ? { scenario } : {};
}

function describe(answer: unknown): Pick<Action, 'outcome' | 'message' | 'amountRefunded'> {
  if (typeof answer !== 'object' || answer === null) return {};
  const { outcome, state, status, message, amountRefunded } = answer as Record<string, unknown>;
  const named = outcome ?? state ?? status;
  return {
    ...(typeof named === 'string' && { outcome: named }),
    ...(typeof message === 'string' && { message }),
    ...(amountRefunded !== undefined && { amountRefunded: JSON.stringify(amountRefunded) }),
  };
}
