import type * as z from 'zod';

import {
  InvalidResponseError,
  type PartnerApiErrorDetails,
  type ResponseProblem,
  UnsuccessfulAnswerError,
} from '../errors.js';
import { type DriftLog, findMismatches, type Mismatch } from './drift.js';
import { type AttemptContext, describeBody, describeHead, failureOfStatus } from './failure.js';
import { parseJson } from '../decimal.js';
import { isObject, type Operation, UnsuccessfulReply, type Validation } from './operation.js';
import type { TransportReply } from './transport.js';

/** `undefined` when the bytes are no valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** How the fields of an answer are compared with the document. */
export interface Comparison {
  readonly validation: Validation;
  readonly drift: DriftLog;
}

/** Turns a whole answer into what the operation promises, or throws the error that says why not. */
export function readReply<Reply extends z.ZodType>(
  operation: Operation<Reply>,
  context: AttemptContext,
  answer: TransportReply,
  comparison: Comparison,
): z.infer<Reply> {
  if (answer.status < 200 || answer.status >= 300) {
    throw failureOfStatus(context, answer, new TextDecoder().decode(answer.body));
  }
  const reject = (problem: ResponseProblem, sentence: string): never => {
    const details: PartnerApiErrorDetails = {
      ...describeHead(context, answer),
      outcome: 'unknown',
    };
    throw new InvalidResponseError(`${operation.name}: ${sentence}`, details, problem);
  };
  if (answer.body.byteLength === 0)
    return reject('empty', `the answer (${answer.status}) is empty.`);
  const text = decodeUtf8(answer.body);
  if (text === undefined) return reject('encoding', 'the answer is not valid UTF-8.');
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // The engine's own message is not kept: it quotes the body.
    const html = /html/i.test(answer.headers['content-type'] ?? '') || text.trimStart()[0] === '<';
    return html
      ? reject('html', 'the answer is a web page and not JSON. Is baseUrl the address of the API?')
      : reject('not_json', 'the answer is not valid JSON.');
  }
  try {
    return checkReply(operation, body, comparison);
  } catch (error) {
    if (error instanceof UnsuccessfulReply) {
      const details = {
        ...describeHead(context, answer),
        ...describeBody(context, text),
        outcome: 'refused',
      } as const;
      const message = `${operation.name}: the provider answered that it had no success.`;
      throw new UnsuccessfulAnswerError(message, details, error.data);
    }
    if (!(error instanceof UnexpectedShape)) throw error;
    return reject('shape', `the answer is not what was expected: ${error.message}.`);
  }
}

/** An answer whose shape is not the one of the spec: where, and what was expected. No values. */
class UnexpectedShape extends Error {
  constructor({ place, kind, expected }: Mismatch) {
    const article = expected === 'object' ? 'an' : 'a';
    super(`${place || 'the body'} (${kind}) is not ${article} ${expected}`);
  }
}

function checkReply<Reply extends z.ZodType>(
  { name, reply, needs, prepare }: Operation<Reply>,
  body: unknown,
  { validation, drift }: Comparison,
): z.infer<Reply> {
  if (isObject(body)) prepare?.(body);
  const mismatches = findMismatches(reply, body);
  const fatal = mismatches.find(({ place }) => place === '' || needs.includes(place));
  if (fatal !== undefined) throw new UnexpectedShape(fatal);
  if (validation !== 'off') drift.add(name, reply, body, mismatches);
  const [first] = mismatches;
  if (validation === 'strict' && first !== undefined) throw new UnexpectedShape(first);
  // As it came, and not zod's copy, which would have lost the exact texts of numbers.
  return body as z.infer<Reply>;
}
