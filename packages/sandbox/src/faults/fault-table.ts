import { OPERATIONS } from '../logged-request.js';

/** Requests of the shopper's browser. */
const BROWSER_TARGETS = [
  /** `/sdk/checkout.js` and the scripts of the other shapes. */
  'sdk-script',
  /** The card form, in a frame or as a page. */
  'pay-page',
  /** What the card form sends. */
  'card-payment',
  /** The page of 3-D Secure. */
  'challenge-page',
  /** What that page sends. */
  'challenge-answer',
] as const;

/** What is answered over HTTP. */
const ANSWERS = [...OPERATIONS, ...BROWSER_TARGETS] as const;

/** What can fail. `webhook`: each attempt at one. */
export const FAULT_TARGETS = [...ANSWERS, 'webhook'] as const;

/** An operation of the API, a request of the shopper's browser, or `webhook`. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

interface FaultRow {
  readonly what: string;
  /** In words, for the documents. */
  readonly of: string;
  readonly targets: readonly FaultTarget[];
}

const anything = row('everything', FAULT_TARGETS);
const answer = row('all but webhooks', ANSWERS);
const operation = row('operations', OPERATIONS);
const list = row('`transactions-list`', ['transactions-list']);
const analytics = row('`partner-analytics`', ['partner-analytics']);
const webhook = row('`webhook`', ['webhook']);

/**
 * Every kind of fault, what happens and what it can hit. The schema of the control route, the form of
 * the page, the help of `pay-sandbox` and the README follow from this table.
 */
export const FAULTS = {
  wait: anything('only waits, for `latencySeconds`; default 2'),

  error: answer('`status` (500) with `retryAfterSeconds`; nothing is done'),
  html: answer('a web page with `status` (502); nothing is done'),
  redirect: answer('a redirect to `location`; nothing is done'),
  'drop-before-work': answer('the connection is cut; nothing is done'),
  'drop-after-commit': answer('it is done, and the connection is cut'),
  hold: answer('it is done, and the answer waits until the faults are cleared'),
  'no-content': answer('it is done, and the answer is 204'),
  'truncated-body': answer('half of the answer, then the connection is cut'),
  'stalled-body': answer('half of the answer; the rest waits until the faults are cleared'),
  'slow-body': anything('the body in 16 pieces over `seconds` (2), cut anywhere'),
  gzip: answer('a compressed answer, also if none is accepted'),

  'unknown-field': operation('further properties in every object'),
  'unknown-enum': operation('new values in every state and method'),
  'wrong-type': operation('numbers and booleans as strings'),
  'repeated-cursor': list('`nextCursor` is the cursor that was sent'),
  'hostile-cursor': list('`nextCursor` is long, and full of what has to be escaped'),
  'empty-cursor': list('`nextCursor` is empty'),
  'missing-cursor': list('no `nextCursor`, although `hasMore`'),
  'empty-page': list('no rows, although `hasMore`'),
  'huge-amount': list('more digits than a double holds'),
  'success-false': analytics('`success` is false'),

  lost: webhook('it is not sent, and not retried'),
  reset: webhook('half of the body, then the connection is cut; it is retried'),
  duplicate: webhook('it is sent twice, under one id'),
  'wrong-signature': webhook('it is signed with another key'),
} satisfies Record<string, FaultRow>;

/** What goes wrong. */
export type FaultKind = keyof typeof FAULTS;

export const FAULT_KINDS = Object.keys(FAULTS) as [FaultKind, ...FaultKind[]];

export function isFaultOf(target: FaultTarget, fault: FaultKind): boolean {
  return FAULTS[fault].targets.includes(target);
}

/** What each target can have, and what each kind does: for the page. */
export function describeFaults() {
  return {
    faults: Object.fromEntries(
      FAULT_TARGETS.map((target) => [
        target,
        FAULT_KINDS.filter((kind) => isFaultOf(target, kind)),
      ]),
    ) as Record<FaultTarget, FaultKind[]>,
    faultKinds: Object.fromEntries(FAULT_KINDS.map((kind) => [kind, FAULTS[kind].what])) as Record<
      FaultKind,
      string
    >,
  };
}

function row(of: string, targets: readonly FaultTarget[]) {
  return (what: string): FaultRow => ({ what, of, targets });
}
