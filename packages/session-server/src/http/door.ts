import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../logger.js';
import { observeAnswer } from '../metrics/observe-requests.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import { answerError } from './error-handler.js';
import { REQUEST_ID } from './request-id.js';
import { setDataHeaders } from './security.js';

/** Takes a request, or answers false and leaves it to somebody else. */
export type Intake = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers one request; what it throws is answered as an error. */
export type DoorHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** Goes into the answer as {@link REQUEST_ID}. */
  id: string,
) => Promise<void>;

/**
 * Answers requests before Express, with what it gives to all that it answers: an id, the headers of
 * data, errors as problems, and a word to the observer. For the few that are asked so often, or cost
 * so little, that the routers would be a large part of their price.
 */
export class Door {
  readonly #logger: Logger;
  readonly #observer: Pick<Observer, 'requestAnswered'>;

  constructor(logger: Logger, observer: Pick<Observer, 'requestAnswered'>) {
    this.#logger = logger;
    this.#observer = observer;
  }

  /** @param route its template, as the metrics name it */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    route: string,
    handle: DoorHandler,
  ): void {
    if (this.#observer !== SILENT_OBSERVER) {
      observeAnswer(this.#observer, request, response, () => route);
    }
    const id = randomUUID();
    handle(request, response, id).catch((error: unknown) => {
      if (response.headersSent) {
        // Half an answer is out: whoever asked must not take it for a whole one.
        response.destroy();
        return;
      }
      setHeaders(response, id);
      answerError(error, request, response, this.#logger);
    });
  }
}

/** The headers that all data has, one by one. */
export function setHeaders(response: ServerResponse, id: string): void {
  setDataHeaders(response);
  response.setHeader(REQUEST_ID, id);
}
