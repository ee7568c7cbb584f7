/** Errors of the partner-api client → problems for a person. The only translation. */
import {
  isPartnerApiError,
  type InvalidRequestError,
  type PartnerApiError,
  fieldText,
} from '@pay-checkout/partner-api';
import type { Response } from 'express';
import { ConsoleError, refuseFields } from './console-error.js';
import type { ConsoleProblem, ProviderFields } from './console-view.js';

const MAX_QUOTED_CHARACTERS = 2000;

/** What a caller knows of the operation that it asked for. */
export interface CallFacts {
  /** What to do when it may have happened. Left out for what only reads. */
  readonly ifUnknown?: string;
  /** The field of the request that the provider means by 403 or 404. */
  readonly namedBy?: string;
}

type Said = Pick<ConsoleProblem, 'status' | 'code' | 'title' | 'next'>;

/** Resolves with what the client gives, or rejects with a problem that says what to do. */
export async function callProvider<T>(facts: CallFacts, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isPartnerApiError(error) ? toConsoleError(error, facts) : error;
  }
}

function toConsoleError(error: PartnerApiError, facts: CallFacts): ConsoleError {
  if (isInvalidRequest(error)) {
    const words = error.message.slice(`${error.operation}: ${error.field} `.length);
    return refuseFields([{ field: error.field, message: words }]);
  }
  const said = say(error, facts);
  const { namedBy } = facts;
  const isNamed = namedBy !== undefined && (error.status === 403 || error.status === 404);
  const body = error.rawBody()?.slice(0, MAX_QUOTED_CHARACTERS);
  return new ConsoleError({
    ...said,
    detail: error.message,
    outcome: error.outcome,
    ...(isNamed && { errors: [{ field: namedBy, message: `${said.title} ${said.next}` }] }),
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    ...(body !== undefined && body !== '' && { providerSaid: body }),
  });
}

function say(error: PartnerApiError, { ifUnknown }: CallFacts): Said {
  if (error.outcome === 'refused') return sayRefused(error);
  if (error.outcome === 'not_sent') {
    return {
      status: 503,
      code: 'provider_unreachable',
      title: 'The provider cannot be reached.',
      next: 'Nothing was sent. Try again in a moment.',
    };
  }
  if (ifUnknown === undefined) {
    return {
      status: 502,
      code: 'no_good_answer',
      title: 'The provider gave no usable answer.',
      next: 'Reading changes nothing: try again.',
    };
  }
  return {
    status: 502,
    code: 'outcome_unknown',
    title: 'Unknown: it may have happened.',
    next: ifUnknown,
  };
}

function sayRefused(error: PartnerApiError): Said {
  switch (error.name) {
    case 'AuthenticationError':
      return {
        status: 502,
        code: 'key_refused',
        title: 'The provider rejected this console’s API key.',
        next: 'Check CONSOLE_PARTNER_API_KEY. Nothing was changed.',
      };
    case 'UnknownPartnerError':
      return {
        status: 403,
        code: 'unknown_partner',
        title: 'The provider does not know this partner name, or may not show it to you.',
        next: 'Check how the provider spells the name.',
      };
    case 'PermissionError':
      return {
        status: 403,
        code: 'not_permitted',
        title: 'The provider does not allow this.',
        next: 'Ask the provider what this API key is allowed to do. Nothing was changed.',
      };
    case 'NotFoundError':
      return {
        status: 404,
        code: 'not_found',
        title: 'The provider does not know this identifier.',
        next: 'Check the identifier. Nothing was changed.',
      };
    case 'RateLimitError':
      return {
        status: 429,
        code: 'too_many_requests',
        title: 'The provider is limiting requests.',
        next: sayPause(error.retryAfterSeconds),
      };
    case 'UnsuccessfulAnswerError':
      return {
        status: 502,
        code: 'unsuccessful_answer',
        title: 'The provider reported a failure.',
        next: 'Try again later. If it persists, ask the provider.',
      };
    case 'PaginationError':
      return {
        status: 502,
        code: 'list_cannot_go_on',
        title: 'The provider says that there are more rows, but not how to request them.',
        next: 'Ask for fewer days at a time.',
      };
    default:
      return {
        status: 422,
        code: 'refused',
        title: 'The provider refused this.',
        next: 'Nothing was changed. Read the provider’s answer and correct the request.',
      };
  }
}

function sayPause(seconds: number | undefined): string {
  return seconds === undefined
    ? 'Nothing was changed. Wait a moment, then try again.'
    : `Nothing was changed. Try again in ${Math.ceil(seconds)} seconds.`;
}

function isInvalidRequest(error: PartnerApiError): error is InvalidRequestError {
  return error.name === 'InvalidRequestError';
}

/** All fields of an object, in its order. */
export function toFields(holder: object): ProviderFields {
  return Object.fromEntries(Object.keys(holder).map((name) => [name, fieldText(holder, name)]));
}

/** The same without fields that are shown in another place. */
export function otherFields(holder: object, shown: readonly string[]): ProviderFields {
  return Object.fromEntries(
    Object.entries(toFields(holder)).filter(([name]) => !shown.includes(name)),
  );
}

/** Aborts when the client has gone before its answer. For reads only. */
export function signalOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
