import { InvalidRequestError } from '../errors.js';
import { checkScheduledTransfers } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import {
  checkFields,
  isFilledText,
  isListOf,
  isText,
  type FieldChecks,
} from '../http/check-fields.js';
import { OPERATIONS } from '../http/operation-facts.js';
import {
  expectObject,
  UnexpectedShape,
  type CallOptions,
  type Operation,
} from '../http/operation.js';

/** One object of `data` in the body of spec 4.4. */
export interface ScheduledTransferEntry {
  schedule_transfer_id?: string | undefined;
  currency?: string | undefined;
  /** A cron expression. */
  schedule?: string | undefined;
  description?: string | undefined;
  /** Spelled as the provider spells it. */
  refrence?: string | undefined;
}

/** The body that spec 4.4 shows on this GET. What it does is not shown. */
export interface ScheduledTransfersBody {
  request_id?: string | undefined;
  data?: readonly ScheduledTransferEntry[] | undefined;
}

/** A scheduled transfer as the provider sends it (spec 2.3). Any field may be missing. */
export interface ScheduledTransfer {
  id?: string;
  merchantAccount?: string;
  currency?: string;
  /** Text. In requests it is a cron expression; whether it is one here is not shown. */
  schedule?: string;
  /** Its values are not shown. */
  status?: string;
  [field: string]: unknown;
}

const ENTRY_CHECKS: FieldChecks<ScheduledTransferEntry> = {
  schedule_transfer_id: isText,
  currency: isText,
  schedule: isText,
  description: isText,
  refrence: isText,
};

const CHECKS: FieldChecks<ScheduledTransfersBody> = {
  request_id: isFilledText,
  data: isListOf(isEntry),
};

const LIST: Operation<ScheduledTransfer[]> = {
  ...OPERATIONS.listScheduledTransfers,
  readReply: readTransfers,
  checkReply: checkScheduledTransfers,
};

const WITH_BODY = {
  effect: 'once',
  advice: {
    unknown: 'What its body does is not shown, so the request is not repeated.',
    refused: 'Gateways and proxies may refuse a GET with a body: ask what stands in between.',
  },
} as const;

/** The scheduled transfers of a merchant account (spec 4.4), under an address of their own. */
export class ScheduledTransfers {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Reads the scheduled transfers of a merchant. The API key is not sent (spec 5); set
   * `transfersApiKey` if yours needs one. With a body it is sent once and never repeated, because
   * what the body does is not shown; a body needs Node, `fetch` cannot send it.
   */
  async list(
    mid: string | number,
    body?: ScheduledTransfersBody,
    options?: CallOptions,
  ): Promise<ScheduledTransfer[]> {
    const path = LIST.path.map((segment) => (segment === '{mid}' ? readMid(mid) : segment));
    const hasBody = body !== undefined || options?.extraFields !== undefined;
    const fields = body === undefined ? undefined : checkFields(LIST.name, body, CHECKS);
    const operation = { ...LIST, path, ...(hasBody ? WITH_BODY : {}) };
    return this.#caller.call(operation, { fields }, options);
  }
}

function readMid(mid: string | number): string {
  const text = Number.isSafeInteger(mid) ? String(mid) : mid;
  if (typeof text === 'string' && !['', '.', '..'].includes(text)) return text;
  throw new InvalidRequestError('mid', 'must be the identifier of a merchant', LIST.name);
}

function readTransfers(body: unknown): ScheduledTransfer[] {
  if (!Array.isArray(body)) throw new UnexpectedShape('body', 'a list');
  body.forEach((item: unknown, index) => expectObject(item, `[${index}]`));
  return body as ScheduledTransfer[];
}

function isEntry(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'must be an object';
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(ENTRY_CHECKS, name)) {
      return `has the field ${name}, which the spec does not show (it spells "refrence" so); give the whole of data in extraFields to send it`;
    }
    if (field === undefined) continue;
    const advice = ENTRY_CHECKS[name as keyof ScheduledTransferEntry](field);
    if (advice !== undefined) return `has a wrong ${name}, which ${advice}`;
  }
  return undefined;
}
