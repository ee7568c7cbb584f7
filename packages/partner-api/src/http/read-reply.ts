import {
  InvalidResponseError,
  UnsuccessfulAnswerError,
  type PartnerApiErrorDetails,
  type ResponseProblem,
} from '../errors.js';
import { kindOf, type DriftLog, type DriftSink, type Validation } from './drift.js';
import { describeHead, failureOfStatus, type AttemptContext } from './failure.js';
import { parseJson } from './json.js';
import { UnexpectedShape, UnsuccessfulReply, type Operation } from './operation.js';
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
export function readReply<Reply>(
  operation: Operation<Reply>,
  context: AttemptContext,
  answer: TransportReply,
  comparison: Comparison,
): Reply {
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
    const reply = operation.readReply(body);
    compare(operation, body, comparison);
    return reply;
  } catch (error) {
    if (error instanceof UnsuccessfulReply) {
      const details = { ...describeHead(context, answer), outcome: 'refused' } as const;
      const message = `${operation.name}: the provider answered that it had no success.`;
      throw new UnsuccessfulAnswerError(message, details, error.data);
    }
    if (!(error instanceof UnexpectedShape)) throw error;
    return reject('shape', `the answer is not what was expected: ${error.message}.`);
  }
}

function compare(
  operation: Operation<unknown>,
  body: unknown,
  { validation, drift }: Comparison,
): void {
  if (validation === 'off') return;
  const log = drift.startAnswer(operation.name);
  operation.checkReply(body, validation === 'strict' ? refuseUnexpected(log) : log);
}

/** Counts as always, and makes the first field of another type an error. */
function refuseUnexpected(log: DriftSink): DriftSink {
  return {
    unknownField: (path, name) => log.unknownField(path, name),
    unexpectedType: (path, expected, value) => {
      log.unexpectedType(path, expected, value);
      const wanted = `${expected === 'object' ? 'an' : 'a'} ${expected}`;
      throw new UnexpectedShape(`${path.replace(/^\./, '')} (${kindOf(value)})`, wanted);
    },
  };
}
